import {
  appendFileSync,
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
import { type Follower, followBytes, followLines, type LineRange } from '../../../src/store/read-forward.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { fc } from '../../helpers/fuzz.ts';

const GROWING: LineRange = { limit: null, ended: false };

const texts = (follower: Follower<Line>, range = GROWING): (string | null)[] =>
  [...follower.read(range)].map((line) => line.text);

// However the lines of a stream come: test/property/stream-reader.test.ts.

function emptyFile(): string {
  const path = join(emptyDirectory(), 'events.jsonl');
  writeFileSync(path, '');
  return path;
}

test('the bytes of a stream come as they are, in pieces of no more than a block', () => {
  const path = emptyFile();
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
  const path = emptyFile();
  const follower = followLines(path);
  appendFileSync(path, 'a\nb\nc\n');
  for (const { text } of follower.read(GROWING)) if (text === 'a') break;
  expect(texts(follower)).toEqual(['b', 'c']);
});

test('where the end is recorded, nothing behind it is read, also of a line that was seen to grow', () => {
  const path = emptyFile();
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
    const path = emptyFile();
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
    const path = emptyFile();
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
