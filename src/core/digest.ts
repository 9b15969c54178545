import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** The SHA-256 of a text, in hex. Not by node:crypto, which takes a tenth of Node's own start to load. */
export function digest(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
