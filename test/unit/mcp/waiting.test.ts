import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import type { ToolCall } from '../../../src/mcp/tool.ts';
import {
  answerOfBegun,
  requireOther,
  requireWanted,
  secondsOf,
  waitForNews,
  waitForSessions,
} from '../../../src/mcp/waiting.ts';
import { eventually } from '../../helpers/project.ts';
import { createShellProject } from '../../helpers/shell-project.ts';
import { toolsInProcess } from '../../helpers/tools-in-process.ts';

const ID = 'abcdefghjk' as SessionId;
/** Longer than any test may take. */
const LONG = 3600;

/** A project, and a call of one of its clients. */
function createCall(more: Partial<ToolCall> = {}) {
  const project = createShellProject();
  const seen: string[] = [];
  const { manager } = toolsInProcess(project);
  const call: ToolCall = {
    manager,
    longestSec: LONG,
    adviceSec: 45,
    self: null,
    signal: new AbortController().signal,
    progress: null,
    known: new Map(),
    markSeen: async (id, turn) => void seen.push(`${id}.${turn}`),
    ...more,
  };
  const open = (name = 'go'): void => writeFileSync(join(project.directory, name), '');
  const start = async (task: string): Promise<SessionId> => (await manager.start({ task })).id;
  return { call, manager, seen, open, start };
}

test.each<[longest: number, asked: number | undefined, seconds: number]>([
  [45, undefined, 45],
  [45, 10, 10],
  [45, 0, 0],
  [45, 60, 45],
  [0, 60, 0],
  [0, undefined, 0],
])('of at most %i s a call that asks for %j waits %i', (longestSec, asked, seconds) => {
  expect(secondsOf({ longestSec } as ToolCall, asked)).toBe(seconds);
});

test('a cancelled call begins nothing', () => {
  const controller = new AbortController();
  const call = { signal: controller.signal } as ToolCall;
  requireWanted(call);
  controller.abort();
  expect(() => requireWanted(call)).toThrow(expect.objectContaining({ code: 'interrupted' }));
});

test('an agent does not wait for its own session', () => {
  requireOther({ self: null } as ToolCall, ID);
  requireOther({ self: 'bcdefghjkm' } as ToolCall, ID);
  const message = `${ID} is your own session`;
  expect(() => requireOther({ self: ID } as ToolCall, ID)).toThrow(
    expect.objectContaining({ code: 'usage', message }),
  );
});

test('a turn is waited for until it ends, and then the client has seen it', async () => {
  const { call, manager, seen, open } = createCall();
  const begun = await manager.start({ task: 'gate go' });
  const answer = answerOfBegun(call, begun, LONG);
  open();
  expect(await answer).toMatchObject({ status: 'completed', response: 'done' });
  expect(seen).toEqual([`${begun.id}.1`]);
});

test('a turn is not waited for without time, nor longer than the time', async () => {
  const { call, manager } = createCall();
  const begun = await manager.start({ task: 'hang' });
  for (const seconds of [0, 0.01])
    expect(await answerOfBegun(call, begun, seconds)).toMatchObject({ status: 'running' });
});

test('the waiting ends with the call, before it or while it waits', async () => {
  const controller = new AbortController();
  const { call, manager } = createCall({ signal: controller.signal });
  const begun = await manager.start({ task: 'hang' });
  const waiting = [
    answerOfBegun(call, begun, LONG),
    waitForNews(call, { ...begun, known: 0 }, LONG),
    waitForSessions(call, [begun.id], false, LONG),
  ];
  controller.abort();
  await Promise.all(waiting);
  await waitForSessions(call, [begun.id], false, LONG);
  expect(await manager.summary(begun.id)).toMatchObject({ status: 'running' });
});

test('progress is reported at the beginning of a wait; a client that is gone does not end it', async () => {
  const reports: unknown[] = [];
  const progress = async (seconds: number, what: string): Promise<void> => {
    reports.push([seconds, what]);
    throw new Error('the client is gone');
  };
  const { call, start } = createCall({ progress });
  const [first, second] = [await start('quick'), await start('quick')];
  await waitForSessions(call, [first, second], false, LONG);
  await waitForSessions(call, [first], true, LONG);
  expect(reports).toEqual([
    [0, `waiting for ${first}, ${second}`],
    [0, `waiting for one of ${first}`],
  ]);
});

test('all of some sessions are waited for, or with any one of them', async () => {
  const { call, manager, open, start } = createCall();
  const [hanging, gated] = [await start('hang'), await start('gate go')];
  const any = waitForSessions(call, [hanging, gated], true, LONG);
  const all = waitForSessions(call, [hanging, gated], false, LONG);
  let allEnded = false;
  void all.then(() => {
    allEnded = true;
  });
  open();
  await any;
  expect(await manager.summary(gated)).toMatchObject({ status: 'completed' });
  expect(allEnded).toBe(false);
  await manager.kill(hanging);
  await all;
});

test('a session that is gone counts as ended', async () => {
  const { call, manager, start } = createCall();
  const [gone, hanging] = [await start('quick'), await start('hang')];
  await manager.wait(gone);
  await eventually('it can be removed', () =>
    manager.remove(gone).then(
      () => true,
      () => false,
    ),
  );
  await waitForSessions(call, [gone, hanging], true, LONG);
});

const message = (text: string): string =>
  `echo '{"type":"item.completed","item":{"id":"${text}","type":"agent_message","text":"${text}"}}'`;

test('news are a message that the client does not know, or the end', async () => {
  const { call, manager, open, start } = createCall();
  const gate = (name: string): string => `until [ -e ${name} ]; do sleep 0.01; done`;
  const id = await start(`run ${message('one')}; ${gate('go')}; ${message('two')}; ${gate('end')}`);
  const texts = async (): Promise<number> =>
    (await manager.get(id)).messages.filter(({ role }) => role === 'assistant').length;
  await eventually('the first message is there', async () => (await texts()) === 1);
  const second = waitForNews(call, { id, turn: 1, known: 1 }, LONG);
  open();
  await second;
  expect(await texts()).toBe(2);
  const end = waitForNews(call, { id, turn: 1, known: 2 }, LONG);
  open('end');
  await end;
  expect(await manager.summary(id)).toMatchObject({ status: 'completed' });
});
