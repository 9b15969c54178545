import { expect, test } from 'vitest';
import type { ProcessIdentity } from '../../../src/core/session.ts';
import { ownIdentity, statOf } from '../../../src/process/identity.ts';
import {
  anyLives,
  anyMemberLives,
  type Census,
  createCensus,
  markedProcesses,
  processesOfTurn,
  type TurnProcesses,
} from '../../../src/process/turn-processes.ts';
import { end, live, newMarks } from '../../helpers/marked.ts';
import { eventually } from '../../helpers/project.ts';

function look(marks: string, recorded: ProcessIdentity | null, origin = ownIdentity()): TurnProcesses {
  return processesOfTurn(marks, recorded, origin, createCensus());
}

function refuse(): never {
  throw new Error('looked at all processes');
}
const UNNEEDED: Census = { processes: refuse, isPartial: refuse };

const NOTHING = { runner: null, living: 'no' };

test('a runner that was recorded and bears its mark lives, which takes no look at all other processes', async () => {
  const marks = newMarks();
  const runner = await live(`${marks}x.runner`);
  const found = { runner: runner.pid, living: 'yes' };
  expect(processesOfTurn(marks, runner.identity, ownIdentity(), UNNEEDED)).toEqual(found);
  await end(runner);
  await eventually('it has gone', () => statOf(runner.pid) === null);
  expect(look(marks, runner.identity)).toEqual(NOTHING);
});

test('a turn runs as long as anything lives that bears its mark, whoever is recorded as its runner', async () => {
  const marks = newMarks();
  const [agent, stranger] = [await live(`${marks}x`), await live(null)];
  const gone = { ...agent.identity, pid: 4_194_305 };
  for (const recorded of [null, stranger.identity, agent.identity, gone, { ...gone, boot_id: 'before' }]) {
    expect(look(marks, recorded)).toEqual({ runner: null, living: 'yes' });
  }
  await end(agent);
  for (const recorded of [null, stranger.identity, gone]) expect(look(marks, recorded)).toEqual(NOTHING);
});

test('the runner is found by its mark when its record is missing or names somebody else', async () => {
  const marks = newMarks();
  const runner = await live(`${marks}x.runner`, 'sleep 600 & echo ready; wait');
  const later = await live(`${marks}x.runner`);
  const [agent, stranger] = [await live(`${marks}x`), await live(null)];
  for (const recorded of [null, stranger.identity, agent.identity]) {
    expect(look(marks, recorded)).toEqual({ runner: runner.pid, living: 'yes' });
  }
  expect(later.pid).not.toBe(runner.pid);
});

test('the mark of another turn, of a longer number or of another session is none', async () => {
  const marks = newMarks();
  const session = marks.slice(0, -2);
  await live(`${session}12.x`);
  await live(`${session}2.x`);
  await live(`a${marks}x`);
  expect(look(marks, null)).toEqual(NOTHING);
  expect(anyLives(marks, createCensus())).toBe(false);
  expect(anyLives(session, createCensus())).toBe(true);
});

test('a mark counts with its nonce, whatever the store; without it only in that store', async () => {
  const marks = newMarks();
  await live(`theirs@${marks}xy`);
  expect(look(`${marks}x.`, null)).toEqual(NOTHING);
  expect(look(`${marks}xy.`, null).living).toBe('yes');
  expect(['ours', 'theirs'].map((store) => anyLives(`${store}@${marks}`, createCensus()))).toEqual([
    false,
    true,
  ]);
});

test('only a process of our own pid namespace speaks against a record of another host or container', async () => {
  const marks = newMarks();
  const own = ownIdentity();
  const others = [
    { ...own, boot_id: 'theirs', host: 'elsewhere' },
    { ...own, pid_ns: 'pid:[1]' },
  ];
  const seen = () => others.map((origin) => [look(marks, origin).living, look(marks, null, origin).living]);
  expect(seen()).toEqual(others.map(() => ['cannot_tell', 'no']));
  expect(look(marks, { ...own, boot_id: 'before' })).toEqual(NOTHING);
  await live(`${marks}x`);
  expect(seen()).toEqual(others.map(() => ['yes', 'yes']));
});

test('runners that record and settle are not what a turn has left', async () => {
  const marks = newMarks();
  const left = () => [anyLives(marks, createCensus()), anyMemberLives(marks, createCensus())];
  await live(`${marks}x.runner`);
  expect(left()).toEqual([true, false]);
  await live(`${marks}x`);
  expect(left()).toEqual([true, true]);
});

test('what is told on sight is what is seen', () => {
  const told: number[] = [];
  const seen = markedProcesses(({ pid }) => told.push(pid)).map(({ pid }) => pid);
  expect(told.sort()).toEqual(seen.sort());
  expect(seen).toContain(process.pid);
});
