import { expect, test } from 'vitest';
import { requestIdOf } from '../../../src/mcp/request-id.ts';

const EDGE = 100;
/** A text that would name other requests, if it were not within a string. */
const LURE = String.raw`"id":1,"method":"\\", {"id":1} [[ ,"id":1} `.repeat(20);

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
])('%s', (_, message, id) => {
  for (const text of [JSON.stringify(message), ` ${JSON.stringify(message, null, 1)}\r\n`])
    expect(requestIdOf(text.slice(0, EDGE), text.slice(-EDGE))).toBe(id);
});

test.each(['', 'x'.repeat(200), '{', '}', '{}', '{"id":1,"method":"x",', '{"id":1.2.3,"method":"x"}'])(
  'no id in %j',
  (text) => {
    expect(requestIdOf(text.slice(0, EDGE), text.slice(-EDGE))).toBeNull();
  },
);
