import { once } from 'node:events';
import { expect, test } from 'vitest';
import { boundedLines } from '../../../src/mcp/bounded-lines.ts';

/** What comes of a text that arrives in pieces of some length: lines as texts, and in brackets the ids of those too long. */
async function linesOf(text: string, longest: number, piece: number): Promise<unknown[]> {
  const passed: unknown[] = [];
  const lines = boundedLines(longest, (id) => passed.push([id]));
  lines.on('data', (line: Buffer) => passed.push(line.toString()));
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += piece) lines.write(bytes.subarray(from, from + piece));
  lines.end();
  await once(lines, 'end');
  return passed;
}

const request = (id: number, text: string): string =>
  `${JSON.stringify({ id, method: 'x', params: { id: 1, text } })}\n`;

test.each([1, 7, 40, 5000])('a line is passed on whole, or named, in pieces of %i bytes', async (piece) => {
  expect(await linesOf('é\n\nb\nthe rest', 100, piece)).toEqual(['é\n', '\n', 'b\n']);
  const [fits, long] = [request(2, 'x'.repeat(50)), request(3, 'é'.repeat(3000))];
  expect(await linesOf(`${long}${fits}${long}`, fits.length, piece)).toEqual([[3], fits, [3]]);
  expect(await linesOf(`${fits}${fits}`, fits.length - 1, piece)).toEqual([[2], [2]]);
});

/** A text that would name other requests, if it were not within a string. */
const LURE = String.raw`"id":1,"method":"\\", {"id":1} [[ ,"id":1} `.repeat(100);

test.each<[what: string, message: unknown, id: string | number | null]>([
  ['a number before the parameters', { id: 2, method: 'x', params: { LURE, id: 1 } }, 2],
  ['a number behind them', { method: 'x', params: { LURE, id: 1 }, jsonrpc: '2.0', id: 3 }, 3],
  ['a text', { jsonrpc: '2.0', id: 'a "b" \\', method: 'x', params: { LURE } }, 'a "b" \\'],
  ['zero', { id: 0, method: 'x', params: { LURE } }, 0],
  ['a method behind the parameters', { id: 4, params: { LURE }, method: 'x' }, 4],
  ['no id', { method: 'notifications/x', params: { LURE, id: 1 } }, null],
  ['an id that is null', { id: null, method: 'x', params: { LURE } }, null],
  ['an answer', { id: 5, result: { LURE, method: 'x' } }, null],
  ['a list of requests', [{ id: 6, method: 'x', params: { LURE } }], null],
  ['a text alone', LURE, null],
])('the id of a message that is too long: %s', async (_, message, id) => {
  for (const text of [JSON.stringify(message), ` ${JSON.stringify(message)}\r`])
    expect(await linesOf(`${text}\n`, 100, 1000)).toEqual([[id]]);
});

test.each(['', 'x', '{', '}', '{}', '{"id":1,"method":"x",', '{"id":1.2.3,"method":"x"}'])(
  'no id in %j',
  async (text) => expect(await linesOf(`${text}\n`, 0, 50)).toEqual([[null]]),
);
