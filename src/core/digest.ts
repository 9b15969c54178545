import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { ID_ALPHABET, ID_LENGTH, ID_LETTERS, type SessionId } from './ids.ts';

/** The SHA-256 of a text, in hex. Not by node:crypto, which takes a tenth of Node's own start to load. */
export function digest(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** A UUID that a random word stands for: always the same one. */
export function uuidOf(nonce: string): string {
  const hex = digest(nonce);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}

/** The session id that a text stands for: always the same one. */
export function sessionIdOf(text: string): SessionId {
  const bytes = sha256(utf8ToBytes(text)).subarray(0, ID_LENGTH);
  const characters = Array.from(bytes, (byte, i) => {
    const letters = i === 0 ? ID_LETTERS : ID_ALPHABET;
    return letters[byte % letters.length];
  });
  return characters.join('') as SessionId;
}
