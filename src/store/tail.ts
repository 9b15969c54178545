import { closeSync, readSync } from 'node:fs';
import { openRegular } from './read-file.ts';

/** The end of a file: its text from the beginning of a line on, and whether that is the whole file. */
export interface Tail {
  readonly text: string;
  readonly whole: boolean;
}

/**
 * The last `bytes` bytes of a file, or of its first `limit` bytes, cut at a line's beginning. Empty where there is no
 * file. @throws DamagedRecord
 */
export function readTail(path: string, bytes: number, limit: number | null = null): Tail {
  const file = openRegular(path);
  if (file === null) return { text: '', whole: true };
  try {
    const end = Math.min(file.size, limit ?? file.size);
    const from = Math.max(0, end - bytes);
    const buffer = Buffer.alloc(end - from);
    const count = readSync(file.fd, buffer, 0, buffer.length, from);
    const text = buffer.subarray(0, count).toString();
    if (from === 0) return { text, whole: true };
    const newline = text.indexOf('\n');
    return { text: newline < 0 ? '' : text.slice(newline + 1), whole: false };
  } finally {
    closeSync(file.fd);
  }
}
