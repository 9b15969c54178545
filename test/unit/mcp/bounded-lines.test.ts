import { once } from 'node:events';
import { expect, test } from 'vitest';
import { BoundedLines } from '../../../src/mcp/bounded-lines.ts';

/** What comes of a text that arrives in pieces of some length: lines as texts, and in brackets the ids of those too long. */
async function linesOf(text: string, longest: number, piece: number): Promise<unknown[]> {
  const passed: unknown[] = [];
  const lines = new BoundedLines(longest, (id) => passed.push([id]));
  lines.on('data', (line: Buffer) => passed.push(line.toString()));
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += piece) lines.write(bytes.subarray(from, from + piece));
  lines.end();
  await once(lines, 'end');
  return passed;
}

const request = (id: number, text: string): string =>
  `${JSON.stringify({ id, method: 'x', params: { id: 1, text } })}\n`;

test.each([1, 7, 40, 5000])('each line is passed on whole, in pieces of %i bytes', async (piece) => {
  expect(await linesOf('é\n\nb\nthe rest', 100, piece)).toEqual(['é\n', '\n', 'b\n']);
});

test.each([1, 7, 40, 5000])(
  'one that is too long is left out and named, in pieces of %i bytes',
  async (piece) => {
    const [fits, long] = [request(2, 'x'.repeat(50)), request(3, 'é'.repeat(3000))];
    expect(await linesOf(`${long}${fits}${long}`, fits.length, piece)).toEqual([[3], fits, [3]]);
    expect(await linesOf(`${fits}${fits}`, fits.length - 1, piece)).toEqual([[2], [2]]);
  },
);
