import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { ToolCall } from '../../../src/mcp/tool.ts';
import { checkSession } from '../../../src/mcp/tools/check-session.ts';
import { waitWith, withCut } from '../../../src/mcp/waiting.ts';

/** Longer than any test may take. */
const LONG = 3600;

/** A call that may wait so long, with what it reports. */
function createCall(longestSec = LONG) {
  const controller = new AbortController();
  const reports: unknown[] = [];
  const call = {
    longestSec,
    signal: controller.signal,
    async progress(seconds: number, what: string) {
      reports.push([seconds, what]);
      throw new Error('the client is gone');
    },
  } as unknown as ToolCall;
  return { call, reports, cancel: () => controller.abort() };
}

/** What is waited for: no session that could tell what it does. */
const of = (words: string) => ({ words, ids: [] });

const untilAborted = ({ signal }: { signal: AbortSignal }) => signal.aborted || once(signal, 'abort');

test.each<[longest: number, asked: number | undefined]>([
  [LONG, 0.01],
  [0.01, undefined],
  [0.01, LONG],
])('a call that may wait %d s and asks for %j does so no longer than both', async (longest, asked) => {
  await waitWith(createCall(longest).call, asked, of('x'), async (wait) => untilAborted(wait));
});

test.each<[longest: number, asked: number | undefined]>([
  [LONG, 0],
  [0, LONG],
  [0, undefined],
])('a call that may wait %d s and asks for %j does not wait, and reports nothing', async (longest, asked) => {
  const { call, reports } = createCall(longest);
  await waitWith(call, asked, of('x'), () => Promise.reject(new Error('it waits')));
  expect(reports).toEqual([]);
});

test('a wait that was cut says so, while something still runs', () => {
  const call = { longestSec: 2 };
  const cut = 'it waited 2 s, the longest that one call may, and not 600';
  expect(withCut('call again', true, call, 600)).toBe(`${cut}; call again`);
  expect(withCut(null, true, call, 600)).toBe(cut);
  for (const [isRunning, longestSec, asked] of [
    [false, 2, 600],
    [true, 2, 2],
    [true, 2, undefined],
    // A task in place of the wait.
    [true, 0, 600],
  ] as const)
    expect(withCut('call again', isRunning, { longestSec }, asked)).toBe('call again');
});

test('a wait ends with its call, before or while it waits; early; and some time later', async () => {
  const { call, reports, cancel } = createCall();
  await waitWith(call, LONG, of('early'), async (wait) => {
    wait.end();
    await untilAborted(wait);
  });
  await waitWith(call, LONG, of('later'), async (wait) => {
    wait.endIn(0.01);
    expect(wait.signal.aborted).toBe(false);
    await untilAborted(wait);
  });
  const cancelled = waitWith(call, LONG, of('cancelled'), async (wait) => untilAborted(wait));
  cancel();
  await cancelled;
  await waitWith(call, LONG, of('cancelled before'), async (wait) => untilAborted(wait));
  // Each reports at its beginning, although the client is gone.
  expect(reports.slice(0, 3)).toEqual([
    [0, 'early'],
    [0, 'later'],
    [0, 'cancelled'],
  ]);
});

test.each([
  [0, 1],
  [1, 3],
  [2, 4],
])('whoever knows %i messages of a turn hears of it after %i steps', async (messages, steps) => {
  const { call } = createCall();
  let read = 0;
  const manager = {
    ...{ resolve: async () => 'abcdefghjk', caller: () => ({ parent: null }), summary: () => ({ turn: 1 }) },
    wait: (_: string, signal: AbortSignal) => untilAborted({ signal }),
    async *followSteps() {
      // A message that grows comes again.
      for (const [type, step] of [
        ['message', 1],
        ['message', 1],
        ['message', 3],
        ['command', 4],
      ] as const) {
        read += 1;
        yield { type, step };
      }
    },
    read: () => Promise.reject(new Error('news')),
  };
  const known = new Map([['abcdefghjk.1', messages]]);
  const checked = checkSession.run({ session_id: 'x', wait_sec: 0.01, until: 'news' }, {
    ...call,
    manager,
    known,
  } as unknown as ToolCall);
  await expect(checked).rejects.toThrow('news');
  expect(read).toBe(steps);
});
