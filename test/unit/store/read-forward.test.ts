import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DamagedRecord } from '../../../src/store/read-file.ts';
import { type LineRange, readLines } from '../../../src/store/read-forward.ts';
import { readTail } from '../../../src/store/read-from-end.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

const BLOCK = 256 * 1024;
const WHOLE: LineRange = { limit: null, ended: true };

function fileOf(content: string | Buffer): string {
  const path = join(emptyDirectory(), 'events.jsonl');
  writeFileSync(path, content);
  return path;
}

function texts(content: string | Buffer, range: Partial<LineRange> = {}): (string | null)[] {
  return [...readLines(fileOf(content), { ...WHOLE, ...range })].map((line) => line.text);
}

test.each<[string, string, Partial<LineRange>, string[]]>([
  ['nothing', '', {}, []],
  ['lines', 'a\nb\n', {}, ['a', 'b']],
  ['a last line without a newline, writer gone', 'a\nb', {}, ['a', 'b']],
  ['a last line without a newline, writer alive', 'a\nb', { ended: false }, ['a']],
  ['only half a line, writer alive', 'a', { ended: false }, []],
  ['bytes beyond the recorded end', 'a\nb\nlate\n', { limit: 4 }, ['a', 'b']],
  ['a recorded end inside a line', 'a\nbcd\n', { limit: 4 }, ['a', 'bc']],
  ['the same, writer alive', 'a\nbcd\n', { limit: 4, ended: false }, ['a']],
  ['a recorded end beyond the file', 'a\n', { limit: 99 }, ['a']],
  ['a recorded end of 0', 'a\n', { limit: 0 }, []],
  ['carriage returns stay with their line', 'a\r\nb\r\n', {}, ['a\r', 'b\r']],
  ['separators that are no newline', 'a\u2028b\u0085c\vd\n', {}, ['a\u2028b\u0085c\vd']],
  ['NUL', 'a\0b\n', {}, ['a\0b']],
])('%s', (_, content, range, expected) => {
  expect(texts(content, range)).toEqual(expected);
});

test('empty lines are left out but counted', () => {
  const path = fileOf('\n\na\n\nb\n');
  expect([...readLines(path, WHOLE)]).toEqual([
    { seq: 2, text: 'a' },
    { seq: 4, text: 'b' },
  ]);
});

test('a newline, a line and a wide character may lie across the edge of a block', () => {
  for (const shift of [-4, -3, -2, -1, 0, 1, 2, 3, 4]) {
    const first = 'x'.repeat(BLOCK + shift);
    for (const content of [
      `${first}\nshort\n`,
      `${first}😀ü\nshort\n`,
      `short\n${first.slice(6)}😀\n\nlast`,
    ]) {
      expect(texts(content)).toEqual(content.split('\n').filter(Boolean));
    }
  }
});

test('what an earlier block held is never read again from the buffer', () => {
  const content = `${'a\n'.repeat(BLOCK / 2)}tail`;
  expect(texts(content).slice(-2)).toEqual(['a', 'tail']);
  expect(texts(content)).toHaveLength(BLOCK / 2 + 1);
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

test('a line of 5 MB is one line', () => {
  const long = '0123456789'.repeat(500_000);
  expect(texts(`before\n${long}\nafter\n`)).toEqual(['before', long, 'after']);
});

test('a message of 10 MiB of which every byte is escaped is one line', () => {
  const long = '\\u0001'.repeat(10 << 20);
  const [line, after] = texts(`${long}\nafter\n`);
  // Not by `toBe`: nobody wants to see the difference.
  expect(line === long).toBe(true);
  expect(after).toBe('after');
});

test.each<[string, string, LineRange, (string | null)[]]>([
  ['in the middle', 'a\n123456789\nb\n', WHOLE, ['a', null, 'b']],
  ['just not', '12345678\nb\n', WHOLE, ['12345678', 'b']],
  ['longer than several blocks', `${'x'.repeat(100)}\nb\n`, WHOLE, [null, 'b']],
  ['at the end, without a newline', 'a\n123456789', WHOLE, ['a', null]],
  ['at the end, still growing', 'a\n123456789', { limit: null, ended: false }, ['a']],
  [
    'cut by the recorded end to one that is not',
    'a\n123456789\n',
    { limit: 9, ended: true },
    ['a', '1234567'],
  ],
])('a line that is too long is told without a text, never cut: %s', (_, content, range, expected) => {
  for (const block of [1, 4, 5, 16, 1000]) {
    const lines = [...readLines(fileOf(content), range, { block, longest: 8 })];
    expect(lines.map((line) => line.text)).toEqual(expected);
    expect(lines.map((line) => line.seq)).toEqual(expected.map((_text, i) => i));
  }
});

test('bytes that are no UTF-8 become replacement characters and end nothing', () => {
  expect(texts(Buffer.from([0x61, 0xff, 0xfe, 0x0a, 0xc3, 0x0a, 0x62]))).toEqual([
    'a\ufffd\ufffd',
    '\ufffd',
    'b',
  ]);
});

test('a file that is not there has no lines; a link, a directory and a FIFO are damage', () => {
  const directory = emptyDirectory();
  const path = (name: string): string => join(directory, name);
  expect([...readLines(path('none'), WHOLE)]).toEqual([]);
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

test('the tail of a file that is not there is empty', () => {
  expect(readTail(join(emptyDirectory(), 'none'), 5)).toBe('');
});
