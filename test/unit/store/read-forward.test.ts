import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Line } from '../../../src/core/events.ts';
import { DamagedRecord } from '../../../src/store/read-file.ts';
import {
  type Follower,
  followBytes,
  followLines,
  type LineRange,
  readLines,
} from '../../../src/store/read-forward.ts';
import { readTail } from '../../../src/store/read-from-end.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { fc } from '../../helpers/fuzz.ts';

// Blocks, long lines and the bytes of characters: test/property/stream-reader.test.ts.

const GROWING: LineRange = { limit: null, ended: false };
const WHOLE: LineRange = { limit: null, ended: true };

function fileOf(content = ''): string {
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
    'a line as long as may be, and a longer one',
    `${'1'.repeat(12)}\n${'2'.repeat(13)}\n`,
    {},
    [`0 ${'1'.repeat(12)}`, '1 null'],
  ],
  ['a long line, of which the end is short', `1\n${'2'.repeat(13)}\n`, { limit: 5 }, ['0 1', '1 222']],
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

const texts = (follower: Follower<Line>, range = GROWING): (string | null)[] =>
  [...follower.read(range)].map((line) => line.text);

test('the bytes of a stream come as they are, in pieces of no more than a block', () => {
  const path = fileOf();
  void fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 16 }),
      (pieces, block) => {
        writeFileSync(path, '');
        const follower = followBytes(path, block);
        const seen: Buffer[] = [];
        for (const [i, bytes] of pieces.entries()) {
          appendFileSync(path, bytes);
          for (const part of follower.read(GROWING)) {
            expect(part.length).toBeLessThanOrEqual(block);
            seen.push(Buffer.from(part));
          }
          expect(Buffer.concat(seen)).toEqual(Buffer.concat(pieces.slice(0, i + 1)));
        }
      },
    ),
  );
});

test('a reader that stops in the middle goes on after the last line that it was given', () => {
  const path = fileOf();
  const follower = followLines(path);
  appendFileSync(path, 'a\nb\nc\n');
  for (const { text } of follower.read(GROWING)) if (text === 'a') break;
  expect(texts(follower)).toEqual(['b', 'c']);
});

test('where the end is recorded, nothing behind it is read, also of a line that was seen to grow', () => {
  const path = fileOf();
  const follower = followLines(path);
  appendFileSync(path, 'a\nsaid by another');
  expect(texts(follower)).toEqual(['a']);
  expect(texts(follower, { limit: 6, ended: true })).toEqual(['said']);
  const bytes = followBytes(path);
  expect([...bytes.read({ limit: 3, ended: true })].map(String)).toEqual([String(Buffer.from('a\ns'))]);
});

test('a file that is not there yet has nothing, and is followed when it comes', () => {
  const path = join(emptyDirectory(), 'events.jsonl');
  const follower = followLines(path);
  expect(texts(follower)).toEqual([]);
  writeFileSync(path, 'a\n');
  expect(texts(follower)).toEqual(['a']);
});

test.each<[string, (path: string) => void]>([
  ['cut', (path) => truncateSync(path, 1)],
  ['gone', (path) => rmSync(path)],
  [
    'replaced by another',
    (path) => {
      writeFileSync(`${path}.new`, 'another\nand more\n');
      renameSync(`${path}.new`, path);
    },
  ],
  [
    'replaced by a link to itself',
    (path) => {
      renameSync(path, `${path}.old`);
      symlinkSync(`${path}.old`, path);
    },
  ],
])('a file that was %s meanwhile is damage, and is not left open', (_, spoil) => {
  for (const [follow, text] of [
    [followLines, 'a\n'],
    [followLines, 'a\nbegun'],
    [followBytes, 'a\n'],
  ] as const) {
    const path = fileOf();
    const follower = follow(path);
    appendFileSync(path, text);
    expect([...follower.read(GROWING)]).toHaveLength(1);
    spoil(path);
    const open = readdirSync('/proc/self/fd').length;
    for (let i = 0; i < 50; i += 1) expect(() => [...follower.read(GROWING)]).toThrow(DamagedRecord);
    expect(readdirSync('/proc/self/fd').length - open).toBeLessThan(10);
  }
});

test.skipIf(process.platform !== 'linux')(
  'a long line that comes in small pieces is not read again for each',
  () => {
    const path = fileOf();
    const follower = followLines(path, { block: 1 << 10, longest: 8 << 20 });
    const piece = 'x'.repeat(8 << 10);
    const readSoFar = (): number =>
      Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
    const before = readSoFar();
    for (let i = 0; i < 256; i += 1) {
      appendFileSync(path, piece);
      expect(texts(follower)).toEqual([]);
    }
    appendFileSync(path, '\n');
    expect(texts(follower)[0]).toHaveLength(256 * piece.length);
    // Once to look for its end and once into memory; from its beginning each time it would be 256 MiB.
    expect(readSoFar() - before).toBeLessThan(16 << 20);
  },
);
