import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ZwarmError } from '../../../../src/core/errors.ts';
import { installation } from '../../../../src/installation.ts';
import type { ManagerContext } from '../../../../src/manager/context.ts';
import { readStateFromRecords } from '../../../../src/manager/session/current-turn.ts';
import { recordEnd } from '../../../../src/manager/stop/record-exit.ts';
import { declareNeverLaunched, publishCancel } from '../../../../src/manager/stop/request-cancel.ts';
import { cancelThenEnd } from '../../../../src/manager/stop/stop-turn.ts';
import { ownIdentity } from '../../../../src/process/identity.ts';
import { createStoredSession, ID, runnerStat } from '../../../helpers/store.ts';

const context: ManagerContext = { ...installation(), cwd: '/', env: {}, uid: 0, stateDir: null };
/** When nobody waits for a launch any more. */
const LATER = Date.now() + 3_600_000;

function createTurn() {
  const store = createStoredSession();
  const directory = join(store.root, 'sessions', ID, 'turns', '1');
  return {
    turn: { store, id: ID, turn: 1 },
    remove: () => rmSync(join(directory, '../..'), { recursive: true }),
    write: (name: string, text: string) => writeFileSync(join(directory, name), text),
    read: (name: string) => JSON.parse(readFileSync(join(directory, name), 'utf8')),
  };
}

const errno = (code: string): Error => Object.assign(new Error(code), { code });

test.each<[string, unknown, ended: boolean, error: unknown]>([
  ['what is gone', new ZwarmError('not_found', 'gone', null), false, { code: 'not_found', message: 'gone' }],
  ['what may only be read', errno('EROFS'), false, { code: 'EROFS' }],
  [
    'what cannot be recorded',
    errno('EACCES'),
    true,
    {
      code: 'io',
      message: expect.stringMatching(
        /^the processes of x were ended, but the request to stop it could not be recorded: /,
      ),
      cause: { code: 'EACCES' },
    },
  ],
  ['what is refused', new ZwarmError('io', 'no', 'try'), true, { code: 'io', hint: 'try' }],
])('the processes of %s are ended, or not, and the error says so', async (_, failure, ended, error) => {
  let isEnded = false;
  const publish = (): never => {
    throw failure;
  };
  const end = async (): Promise<void> => {
    isEnded = true;
  };
  await expect(cancelThenEnd(publish, 'x' as typeof ID, end)).rejects.toMatchObject(error as object);
  expect(isEnded).toBe(ended);
  isEnded = false;
  await cancelThenEnd(() => undefined, ID, end);
  expect(isEnded).toBe(true);
});

test('the first record of an end stays, and one that cannot be written is an error', () => {
  const { turn, read, remove } = createTurn();
  recordEnd(turn, { why: null, detail: null, cancelled: true });
  const first = read('exit.json');
  expect(first).toEqual({
    v: 1,
    code: null,
    why: null,
    detail: null,
    cancelled: true,
    uptime: null,
    ended_at: null,
    events_bytes: null,
  });
  recordEnd(turn, { why: 'spawn_error', detail: 'later', cancelled: false });
  expect(read('exit.json')).toEqual(first);
  remove();
  expect(() => recordEnd(turn, { why: null, detail: null, cancelled: true })).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  );
});

test('the first request to stop stays; of a session that is gone it is not found', () => {
  const { turn, read, remove } = createTurn();
  expect(publishCancel(context, turn, 'kill', 'too slow')).toBe(true);
  const by = ownIdentity();
  const first = { v: 1, why: 'kill', reason: 'too slow', limit: null, by, at: expect.any(String) };
  expect(read('cancel.json')).toEqual(first);
  expect(publishCancel(context, turn, 'interrupt')).toBe(false);
  expect(read('cancel.json')).toEqual(first);
  remove();
  expect(() => publishCancel(context, turn, 'kill')).toThrow(
    expect.objectContaining({ code: 'not_found', message: `${ID} was removed by another command` }),
  );
});

test('a launch is declared dead only while no runner has shown itself', async () => {
  const at = async (nowMs: number) => {
    const one = createTurn();
    return { ...one, now: await readStateFromRecords(one.turn, nowMs) };
  };
  const young = await at(Date.now());
  expect(young.now.current?.verdict.status).toBe('pending');
  declareNeverLaunched(context, young.now);
  expect(() => young.read('cancel.json')).toThrow();

  const cancelled = { why: 'never-launched', reason: null };
  const dead = { status: 'lost', exitCode: null, signal: null } as const;
  const lostOf = ({ now }: typeof young) => ({
    ...now,
    current: now.current && { ...now.current, verdict: dead },
  });
  const old = await at(LATER);
  declareNeverLaunched(context, lostOf(old));
  expect(old.read('cancel.json')).toMatchObject(cancelled);

  const late = await at(LATER);
  late.write('runner.stat', runnerStat(ownIdentity()));
  expect(() => declareNeverLaunched(context, lostOf(late))).toThrow(
    expect.objectContaining({
      code: 'busy',
      message: `${ID} has started after all`,
      hint: `wait for it first: zwarm wait ${ID}`,
    }),
  );
});
