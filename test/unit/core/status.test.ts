import { describe, expect, test } from 'vitest';
import {
  deriveStatus,
  type ExitFact,
  isFinal,
  LAUNCH_GRACE_MS,
  splitExitCode,
  type TurnFacts,
  type TurnVerdict,
} from '../../../src/core/status.ts';

const OLD = LAUNCH_GRACE_MS * 100;
/** A claim that is long past, whose claimer is gone and whose runner never showed itself. */
const bare: TurnFacts = {
  queued: false,
  claimer: 'no',
  ageMs: OLD,
  launched: false,
  living: 'no',
  attended: false,
  cancel: null,
  exit: null,
  terminal: null,
};
const dead = { launched: true } as const;
const alive = { launched: true, living: 'yes', attended: true } as const;
const completed = { kind: 'completed' } as const;
const failed = { kind: 'failed', message: 'the model is gone' } as const;

function exit(code: number | null, more: Partial<ExitFact> = {}): ExitFact {
  return { code, why: null, detail: null, cancelled: false, ...more };
}

function judge(facts: Partial<TurnFacts>): TurnVerdict {
  return deriveStatus({ ...bare, ...facts });
}

describe('the rows of the status table', () => {
  // Each row once with all that tells it from its neighbours: the facts, the status, and more of the verdict.
  test.each<[string, Partial<TurnFacts>, Partial<TurnVerdict>]>([
    ['code 0, completed', { exit: exit(0), terminal: completed }, { status: 'completed', exitCode: 0 }],
    [
      'code 0, cancelled, completed',
      { exit: exit(0, { cancelled: true }), cancel: 'kill', terminal: completed },
      { status: 'completed', exitCode: 0 },
    ],
    [
      'any code, cancelled, any other event: completed, but not with 0',
      { exit: exit(1, { cancelled: true }), cancel: 'kill', terminal: completed },
      { status: 'killed', exitCode: 1, reason: { kind: 'none' } },
    ],
    [
      'any code, cancelled, failed',
      { exit: exit(1, { cancelled: true }), cancel: 'kill', terminal: failed },
      { status: 'killed' },
    ],
    [
      'any code, cancelled, none',
      { exit: exit(137, { cancelled: true }), cancel: 'kill' },
      { status: 'killed', exitCode: null, signal: 'SIGKILL' },
    ],
    ['code 0, cancelled, none', { exit: exit(0, { cancelled: true }), cancel: 'kill' }, { status: 'killed' }],
    [
      'nothing ran, cancelled',
      { exit: exit(null, { cancelled: true, why: 'cancelled' }), cancel: 'withdraw' },
      { status: 'killed' },
    ],
    [
      'nothing ran, not cancelled',
      { exit: exit(null, { why: 'spawn_error', detail: 'E2BIG' }) },
      { status: 'failed', reason: { kind: 'not_run', why: 'spawn_error', detail: 'E2BIG' } },
    ],
    [
      'any code, failed: the message of the event, with 0 too',
      { exit: exit(0), terminal: failed },
      { status: 'failed', exitCode: 0, reason: { kind: 'agent_failed', message: 'the model is gone' } },
    ],
    [
      'code not 0, failed',
      { exit: exit(1), terminal: failed },
      { status: 'failed', exitCode: 1, reason: { kind: 'agent_failed', message: 'the model is gone' } },
    ],
    [
      'code not 0, completed: the code',
      { exit: exit(42), terminal: completed },
      { status: 'failed', exitCode: 42, reason: { kind: 'exit_code', code: 42 } },
    ],
    [
      'code not 0, none: the signal',
      { exit: exit(143) },
      {
        status: 'failed',
        exitCode: null,
        signal: 'SIGTERM',
        reason: { kind: 'signal', signal: 'SIGTERM' },
      },
    ],
    ['code 0, none', { exit: exit(0) }, { status: 'failed', exitCode: 0, reason: { kind: 'no_result' } }],
    ['queued', { queued: true }, { status: 'pending' }],
    ['no runner yet, claimer alive', { claimer: 'yes' }, { status: 'pending' }],
    ['no runner yet, younger than 5 s', { ageMs: LAUNCH_GRACE_MS - 1 }, { status: 'pending' }],
    ['runner alive', { ...alive }, { status: 'running', stopping: false, orphaned: false }],
    [
      'runner alive, cancelled',
      { ...alive, cancel: 'kill' },
      { status: 'running', stopping: true, orphaned: false },
    ],
    [
      'runner alive, although its agent said that it had completed',
      { ...alive, terminal: completed },
      { status: 'running' },
    ],
    [
      'runner dead, something with its mark alive',
      { ...dead, living: 'yes' },
      { status: 'running', orphaned: true },
    ],
    [
      'something with the mark alive, although no runner seems to have shown itself',
      { living: 'yes', attended: true, ageMs: 0 },
      { status: 'running', orphaned: false },
    ],
    [
      'nothing alive, completed',
      { ...dead, terminal: completed, cancel: 'kill' },
      { status: 'completed', exitCode: null },
    ],
    ['nothing alive, cancel.json, none', { ...dead, cancel: 'kill' }, { status: 'killed', exitCode: null }],
    [
      'nothing alive, cancel.json, failed',
      { ...dead, cancel: 'limit', terminal: failed },
      { status: 'killed' },
    ],
    [
      'nothing alive, failed',
      { ...dead, terminal: failed },
      {
        status: 'failed',
        exitCode: null,
        reason: { kind: 'agent_failed', message: 'the model is gone' },
      },
    ],
    [
      'nothing alive, never-launched, failed',
      { ...dead, terminal: failed, cancel: 'never-launched' },
      { status: 'failed' },
    ],
    ['nothing alive, none', { ...dead }, { status: 'lost', reason: { kind: 'vanished' } }],
    ['nothing alive, never-launched, none', { cancel: 'never-launched' }, { status: 'lost' }],
    ['no runner, claimer dead, older than 5 s', { ageMs: LAUNCH_GRACE_MS }, { status: 'lost' }],
    ['no runner yet, cancelled, claimer alive', { claimer: 'yes', cancel: 'kill' }, { status: 'pending' }],
    ['no runner yet, cancelled, claimer dead', { ageMs: 0, cancel: 'kill' }, { status: 'killed' }],
    [
      'declared dead, although its claimer lives',
      { claimer: 'yes', cancel: 'never-launched' },
      { status: 'lost' },
    ],
    ['withdrawn from the queue', { queued: true, cancel: 'withdraw' }, { status: 'killed' }],
    [
      'cannot tell whether the runner lives',
      { launched: true, living: 'cannot_tell', terminal: completed, cancel: 'kill' },
      { status: 'unknown', reason: { kind: 'elsewhere' } },
    ],
    ['cannot tell whether the claimer lives', { claimer: 'cannot_tell' }, { status: 'unknown' }],
    ['… and cancelled', { claimer: 'cannot_tell', cancel: 'kill' }, { status: 'unknown' }],
  ])('%s', (_, facts, expected) => {
    expect(judge(facts)).toMatchObject(expected);
  });

  test.each(['kill', 'interrupt', 'withdraw', 'dependency', 'limit'] as const)(
    'cancelled by %s',
    (cancel) => {
      expect(judge({ ...dead, cancel }).status).toBe('killed');
    },
  );
});

test('a claim that came while a list was read is young; one that a clock which was set back makes so is not', () => {
  expect(judge({ ageMs: -1 }).status).toBe('pending');
  expect(judge({ ageMs: -59_999 }).status).toBe('pending');
  expect(judge({ ageMs: -60_000 }).status).toBe('lost');
  expect(judge({ ageMs: -OLD, claimer: 'yes' }).status).toBe('pending');
  expect(judge({ ageMs: 0 }).status).toBe('pending');
});

test('a code of 128+n is shown as the signal, any other as the code', () => {
  const split = (code: number | null): unknown => Object.values(splitExitCode(code));
  expect([0, 1, 42, 126, 127, 128, 192, 255, null].map(split)).toEqual(
    [0, 1, 42, 126, 127, 128, 192, 255, null].map((code) => [code, null]),
  );
  const named = 'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM'.split(' ');
  const numbers = [...named.map((_, i) => i + 1), 24, 25, 31];
  expect(numbers.map((number) => split(128 + number))).toEqual(
    [...named, 'XCPU', 'XFSZ', 'SYS'].map((name) => [null, `SIG${name}`]),
  );
});

test('an end that was recorded outweighs whatever lives', () => {
  for (const living of ['yes', 'no', 'cannot_tell'] as const) {
    expect(judge({ living, exit: exit(0), terminal: completed }).status).toBe('completed');
  }
});

test('final are the states that have ended', () => {
  const all = ['pending', 'running', 'unknown', 'completed', 'failed', 'killed', 'lost'] as const;
  expect(all.filter(isFinal)).toEqual(['completed', 'failed', 'killed', 'lost']);
});
