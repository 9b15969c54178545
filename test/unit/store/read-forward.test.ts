import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DamagedRecord } from '../../../src/store/read-file.ts';
import { type LineRange, readLines } from '../../../src/store/read-forward.ts';
import { readTail } from '../../../src/store/read-from-end.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

// Blocks, long lines and the bytes of characters: test/property/stream-reader.test.ts.

const WHOLE: LineRange = { limit: null, ended: true };

function fileOf(content: string | Buffer): string {
  const path = join(emptyDirectory(), 'events.jsonl');
  writeFileSync(path, content);
  return path;
}

test.each<[string, string, Partial<LineRange>, string[]]>([
  ['nothing', '', {}, []],
  ['lines, empty ones left out', '\na\n\nb\n', {}, ['1 a', '3 b']],
  ['a last line without a newline, writer gone', 'a\nb', {}, ['0 a', '1 b']],
  ['a last line without a newline, writer alive', 'a\nb', { ended: false }, ['0 a']],
  ['only half a line, writer alive', 'a', { ended: false }, []],
  ['bytes beyond the recorded end', 'a\nb\nlate\n', { limit: 4 }, ['0 a', '1 b']],
  ['a recorded end inside a line', 'a\nbcd\n', { limit: 4 }, ['0 a', '1 bc']],
  ['the same, writer alive', 'a\nbcd\n', { limit: 4, ended: false }, ['0 a']],
  ['a recorded end beyond the file', 'a\n', { limit: 99 }, ['0 a']],
  ['a recorded end of 0', 'a\n', { limit: 0 }, []],
  ['carriage returns stay with their line', 'a\r\nb\r\n', {}, ['0 a\r', '1 b\r']],
  ['separators that are no newline', 'a\u2028b\u0085c\vd\n', {}, ['0 a\u2028b\u0085c\vd']],
  ['NUL', 'a\0b\n', {}, ['0 a\0b']],
  [
    'a line that the recorded end makes short enough',
    `1\n${'2'.repeat(13)}\n`,
    { limit: 5 },
    ['0 1', '1 222'],
  ],
])('%s', (_, content, range, expected) => {
  for (const block of [1, 4, 1 << 18]) {
    const lines = readLines(fileOf(content), { ...WHOLE, ...range }, { block, longest: 12 });
    expect([...lines].map(({ seq, text }) => `${seq} ${text}`)).toEqual(expected);
  }
});

test.each([4, 1 << 18])(
  'a stream that grows faster than it is read is read to an end, in blocks of %i',
  (block) => {
    const path = fileOf('a\nb\nlast');
    const read: (string | null)[] = [];
    for (const { text } of readLines(path, WHOLE, { block, longest: 100 })) {
      read.push(text);
      appendFileSync(path, '\nmore\nmore');
      if (read.length > 100) break;
    }
    expect(read).toEqual(['a', 'b', 'last']);
  },
);

test('a message of 10 MiB of which every byte is escaped is one line', () => {
  const long = '\\u0001'.repeat(10 << 20);
  const [line, after] = [...readLines(fileOf(`${long}\nafter\n`), WHOLE)];
  // Not by `toBe`: nobody wants to see the difference.
  expect(line?.text === long).toBe(true);
  expect(after?.text).toBe('after');
});

test('a file that is not there has no lines; a link, a directory and a FIFO are damage', () => {
  const directory = emptyDirectory();
  const path = (name: string): string => join(directory, name);
  expect([...readLines(path('none'), WHOLE)]).toEqual([]);
  expect(readTail(path('none'), 5)).toBe('');
  writeFileSync(path('file'), 'a\n');
  symlinkSync(path('file'), path('link'));
  mkdirSync(path('directory'));
  execFileSync('mkfifo', [path('fifo')]);
  for (const name of ['link', 'directory', 'fifo', 'file/below']) {
    expect(() => [...readLines(path(name), WHOLE)]).toThrow(DamagedRecord);
    expect(() => readTail(path(name), 10)).toThrow(DamagedRecord);
  }
});

test('a reader that stops early leaves no file open', () => {
  const path = fileOf('a\nb\n');
  const open = (): number => readdirSync('/proc/self/fd').length;
  const before = open();
  for (let i = 0; i < 500; i += 1) for (const line of readLines(path, WHOLE)) if (line.text === 'a') break;
  expect(open() - before).toBeLessThan(100);
});

test.each<[string, string, number, string]>([
  ['a whole small file', 'a\nb\n', 10, 'a\nb\n'],
  ['exactly the whole file', 'a\nb\n', 4, 'a\nb\n'],
  ['from the beginning of a line', 'first\nsecond\n', 9, 'second\n'],
  ['nothing of a line that is longer than asked for', 'a line without an end', 5, ''],
  ['nothing of such a line that has an end', 'a line with an end\n', 5, ''],
  ['an empty file', '', 5, ''],
])('the tail: %s', (_, content, bytes, text) => {
  expect(readTail(fileOf(content), bytes)).toBe(text);
});
