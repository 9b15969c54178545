import { expect, test } from 'vitest';
import type { OutputStream } from '../../../src/cli/context.ts';
import { printPieces } from '../../../src/cli/print-pieces.ts';

/** Takes each chunk a moment after it was sent, as a pipe does: until then its bytes must stay as they are. */
function slowStream(closed = new AbortController()): { stream: OutputStream; taken: Buffer[] } {
  const taken: Buffer[] = [];
  const stream: OutputStream = {
    write: () => expect.fail('not waited for'),
    async send(chunk) {
      await new Promise((resolve) => setImmediate(resolve));
      taken.push(Buffer.from(chunk));
    },
    closed: closed.signal,
    isTTY: false,
    columns: 80,
    rows: 24,
  };
  return { stream, taken };
}

test('pieces of any length come out as they are, a little at a time', async () => {
  const { stream, taken } = slowStream();
  // Characters of two, three and four bytes, so that some of them lie across the edge of a chunk.
  const pieces = ['', 'a', 'ü✓😀'.repeat(200_000), '\n', `x${'😀'.repeat(150_000)}`, '漢'.repeat(100_000)];
  await printPieces(stream, pieces);
  expect(Buffer.concat(taken).toString() === pieces.join('')).toBe(true);
  expect(Math.max(...taken.map(({ length }) => length))).toBeLessThanOrEqual(1 << 18);
  expect(taken.length).toBeGreaterThan(8);
});

test('when nobody reads any more no further piece is asked for', async () => {
  const closed = new AbortController();
  const { stream } = slowStream(closed);
  let asked = 0;
  function* many(): Generator<string> {
    while (asked < 100) {
      asked += 1;
      if (asked === 5) closed.abort();
      yield 'x'.repeat(1 << 18);
    }
  }
  await printPieces(stream, many());
  expect(asked).toBeLessThan(10);
});
