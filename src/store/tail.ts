import { closeSync, readSync } from 'node:fs';
import { openRegular } from './read-file.ts';

/**
 * The end of a text file: its last `bytes` bytes from the beginning of a line on. Empty where there is no file.
 * @throws DamagedRecord
 */
export function readTail(path: string, bytes: number): string {
  const file = openRegular(path);
  if (file === null) return '';
  try {
    const from = Math.max(0, file.size - bytes);
    const buffer = Buffer.alloc(file.size - from);
    const text = buffer.toString('utf8', 0, readSync(file.fd, buffer, 0, buffer.length, from));
    // What is before the first newline began further up.
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1 || text.length);
  } finally {
    closeSync(file.fd);
  }
}
