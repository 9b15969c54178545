import { expect, test } from 'vitest';
import {
  CANCEL_WHYS,
  deriveStatus,
  type ExitFact,
  LAUNCH_GRACE_MS,
  splitExitCode,
  type TurnFacts,
} from '../../../src/core/status.ts';

const OLD = LAUNCH_GRACE_MS * 100;
/** A claim that is long past, whose claimer is gone and whose runner never showed itself. */
const nothing = { cancel: null, exit: null, terminal: null };
const bare: TurnFacts = {
  queued: false,
  claimer: 'no',
  ageMs: OLD,
  launched: false,
  living: 'no',
  ...nothing,
};
const dead = { launched: true } as const;
const alive = { launched: true, living: 'yes' } as const;
const completed = { kind: 'completed' } as const;
const failed = { kind: 'failed', message: 'gone' } as const;
const kill = 'kill';
const never = 'never-launched';

function exit(code: number | null, more: Partial<ExitFact> = {}): ExitFact {
  return { code, why: null, detail: null, cancelled: false, ...more };
}
const killed = (code: number): Partial<TurnFacts> => ({
  exit: exit(code, { cancelled: true }),
  cancel: kill,
});
const notRun = exit(null, { why: 'spawn_error', detail: 'E2BIG' });

/** The status, its exit code or signal if known, and the reason if there is one. */
function judge(facts: Partial<TurnFacts>): string {
  const { status, reason, exitCode, signal } = deriveStatus({ ...bare, ...facts });
  const { kind, ...more } = reason;
  const why = kind === 'none' ? [] : [[kind, ...Object.values(more)].join(' ')];
  return [[status, exitCode, signal].filter((part) => part !== null).join(' '), ...why].join(': ');
}

// The rows of the table of statuses, each with all that tells it from its neighbours.
test.each<[string, Partial<TurnFacts>, string]>([
  ['code 0, completed', { exit: exit(0), terminal: completed }, 'completed 0'],
  ['code 0, cancelled, completed', { ...killed(0), terminal: completed }, 'completed 0'],
  ['code not 0, cancelled, completed', { ...killed(1), terminal: completed }, 'killed 1'],
  ['any code, cancelled, failed', { ...killed(1), terminal: failed }, 'killed 1'],
  ['any code, cancelled, none', killed(137), 'killed SIGKILL'],
  ['code 0, cancelled, none', killed(0), 'killed 0'],
  ['nothing ran, cancelled', { exit: exit(null, { cancelled: true, why: 'cancelled' }) }, 'killed'],
  ['nothing ran, not cancelled', { exit: notRun }, 'failed: not_run spawn_error E2BIG'],
  ['code 0, failed', { exit: exit(0), terminal: failed }, 'failed 0: agent_failed gone'],
  ['code not 0, failed', { exit: exit(1), terminal: failed }, 'failed 1: agent_failed gone'],
  ['code not 0, completed', { exit: exit(42), terminal: completed }, 'failed 42: exit_code 42'],
  ['code not 0, none', { exit: exit(143) }, 'failed SIGTERM: signal SIGTERM'],
  ['code 0, none', { exit: exit(0) }, 'failed 0: no_result'],
  ['queued', { queued: true }, 'pending'],
  ['no runner yet, claimer alive', { claimer: 'yes' }, 'pending'],
  ['no runner yet, younger than 5 s', { ageMs: LAUNCH_GRACE_MS - 1 }, 'pending'],
  ['runner alive', alive, 'running'],
  ['runner alive, cancelled', { ...alive, cancel: kill }, 'running'],
  ['runner alive, although its agent has completed', { ...alive, terminal: completed }, 'running'],
  ['something with the mark alive, although no runner was seen', { living: 'yes', ageMs: 0 }, 'running'],
  [
    'an end was recorded, but something lives',
    { ...alive, ...killed(0), terminal: completed },
    'completed 0',
  ],
  ['nothing alive, completed', { ...dead, terminal: completed, cancel: kill }, 'completed'],
  ['nothing alive, cancelled, failed', { ...dead, cancel: 'limit', terminal: failed }, 'killed'],
  ['nothing alive, failed', { ...dead, terminal: failed }, 'failed: agent_failed gone'],
  ['… and never-launched', { ...dead, terminal: failed, cancel: never }, 'failed: agent_failed gone'],
  ['nothing alive, none', dead, 'lost: vanished'],
  ['nothing alive, never-launched, none', { cancel: never }, 'lost: vanished'],
  ['no runner, claimer dead, older than 5 s', { ageMs: LAUNCH_GRACE_MS }, 'lost: vanished'],
  ['no runner yet, cancelled, claimer alive', { claimer: 'yes', cancel: kill }, 'pending'],
  ['no runner yet, cancelled, claimer dead', { ageMs: 0, cancel: kill }, 'killed'],
  ['declared dead, although its claimer lives', { claimer: 'yes', cancel: never }, 'lost: vanished'],
  ['withdrawn from the queue', { queued: true, cancel: 'withdraw' }, 'killed'],
  [
    'cannot tell of the runner',
    { ...dead, ...{ living: 'cannot_tell' }, cancel: kill },
    'unknown: elsewhere',
  ],
  ['cannot tell of the claimer', { claimer: 'cannot_tell' }, 'unknown: elsewhere'],
  ['… and cancelled', { claimer: 'cannot_tell', cancel: kill }, 'unknown: elsewhere'],
  // A claim that came while a list was read is young; one that a clock which was set back makes so is not.
  ['claimed just after the reading began', { ageMs: -59_999 }, 'pending'],
  ['claimed in the future', { ageMs: -60_000 }, 'lost: vanished'],
  ['claimed in the future, claimer alive', { ageMs: -OLD, claimer: 'yes' }, 'pending'],
])('%s', (_, facts, expected) => {
  expect(judge(facts)).toBe(expected);
});

test('whatever it was cancelled by, it was killed; a launch that was declared dead is lost', () => {
  expect(CANCEL_WHYS.map((cancel) => judge({ ...dead, cancel }))).toEqual([
    ...Array(CANCEL_WHYS.length - 1).fill('killed'),
    'lost: vanished',
  ]);
});

test('a code of 128+n is shown as the signal, any other as the code', () => {
  const split = (code: number | null): unknown => Object.values(splitExitCode(code));
  const others = [0, 1, 42, 126, 127, 128, 192, 255, null];
  expect(others.map(split)).toEqual(others.map((code) => [code, null]));
  const named = 'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM'.split(' ');
  const numbers = [...named.map((_, i) => i + 1), 24, 25, 31];
  expect(numbers.map((number) => split(128 + number))).toEqual(
    [...named, 'XCPU', 'XFSZ', 'SYS'].map((name) => [null, `SIG${name}`]),
  );
});
