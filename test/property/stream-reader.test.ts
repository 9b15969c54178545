import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Line } from '../../src/core/events.ts';
import { followLines, type LineRange, readLines } from '../../src/store/read-forward.ts';
import { readTail } from '../../src/store/read-from-end.ts';
import { emptyDirectory } from '../helpers/directory.ts';
import { fc } from '../helpers/fuzz.ts';

const WHOLE: LineRange = { limit: null, ended: true };

// Short lines, long ones, and the bytes that matter: newlines, halves of wide characters, NUL.
const bytes = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.uint8Array({ maxLength: 6 }) },
      { weight: 3, arbitrary: fc.constant(Buffer.from('\n')) },
      fc.constantFrom('\r\n', '😀', '漢', '\u2028', '\0', '{"a":1}').map((text) => Buffer.from(text)),
      fc.constantFrom([0xff], [0xc3], [0xf0, 0x9f], [0x98, 0x80]).map((list) => Buffer.from(list)),
    ),
    { maxLength: 30, size: 'max' },
  )
  .map((parts) => Buffer.concat(parts));

/** What the lines of some bytes are, found in another way: the pieces between newlines. */
function expectedLines(content: Buffer, ended: boolean, longest = Number.POSITIVE_INFINITY): Line[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, from)) {
    pieces.push(content.subarray(from, at));
    from = at + 1;
  }
  if (ended) pieces.push(content.subarray(from));
  return pieces.flatMap((piece, seq) => {
    const text = piece.length > longest ? null : piece.toString();
    return piece.length === 0 ? [] : [{ seq, text }];
  });
}

function createFile(): (content: Buffer) => string {
  const path = join(emptyDirectory(), 'events.jsonl');
  return (content) => {
    writeFileSync(path, content);
    return path;
  };
}

const upTo = (max: number) => fc.integer({ min: 1, max });

test('lines are the same however many bytes are read at a time, and too long ones are told without a text', () => {
  const fileOf = createFile();
  const longestLine = fc.oneof(fc.nat(12), fc.constant(1000));
  void fc.assert(
    fc.property(bytes, upTo(64), longestLine, fc.boolean(), (content, block, longest, ended) => {
      const lines = [...readLines(fileOf(content), { limit: null, ended }, { block, longest })];
      expect(lines).toEqual(expectedLines(content, ended, longest));
    }),
  );
});

test('while a stream grows its lines only become more: none changes, none is told before its end', () => {
  const fileOf = createFile();
  void fc.assert(
    fc.property(bytes, upTo(32), (content, block) => {
      const path = fileOf(content);
      const sizes = { block, longest: 1000 };
      const whole = expectedLines(content, false);
      let seen = 0;
      for (let end = 0; end <= content.length; end += 1) {
        const lines = [...readLines(path, { limit: end, ended: false }, sizes)];
        expect(lines).toEqual(whole.slice(0, lines.length));
        expect(lines.length).toBeGreaterThanOrEqual(seen);
        seen = lines.length;
      }
      expect(seen).toBe(whole.length);
    }),
  );
});

test('in whatever portions a stream grows, whoever follows it has all of its lines', () => {
  const fileOf = createFile();
  const portions = fc.array(upTo(40), { minLength: 1, maxLength: 20 });
  void fc.assert(
    fc.property(bytes, portions, upTo(32), fc.constantFrom(3, 1000), (content, sizes, block, longest) => {
      const path = fileOf(Buffer.alloc(0));
      const follower = followLines(path, { block, longest });
      const lines: Line[] = [];
      for (let from = 0, i = 0; from < content.length; i += 1) {
        const size = sizes[i % sizes.length] ?? 1;
        appendFileSync(path, content.subarray(from, from + size));
        from += size;
        lines.push(...follower.read({ limit: null, ended: false }));
      }
      lines.push(...follower.read(WHOLE));
      expect(lines).toEqual(expectedLines(content, true, longest));
    }),
  );
});

test('the tail of a stream holds its last lines, whole, and as the reader of all of it sees them', () => {
  const fileOf = createFile();
  void fc.assert(
    fc.property(bytes, fc.nat(80), (content, size) => {
      const path = fileOf(content);
      const all = [...readLines(path, WHOLE)].map((line) => line.text);
      const near = readTail(path, size).split('\n').filter(Boolean);
      expect(near).toEqual(all.slice(all.length - near.length));
      if (content.length <= size) expect(near).toHaveLength(all.length);
    }),
  );
});
