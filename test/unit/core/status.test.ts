import { expect, test } from 'vitest';
import {
  CANCEL_REASONS,
  type CancelReason,
  deriveStatus,
  type ExitFact,
  isFinal,
  LAUNCH_GRACE_MS,
  NOT_RUN_REASONS,
  type NotRunReason,
  splitExitCode,
  TURN_STATUSES,
  type TurnFacts,
} from '../../../src/core/status.ts';

const OLD = LAUNCH_GRACE_MS * 100;
const nothing = { living: 'no', cancel: null, exit: null, terminal: null } as const;
/** A claim that is long past, whose claimer is gone and whose runner never showed itself. */
const bare: TurnFacts = {
  ...{ adopted: false, queued: false, claimer: 'no', ageMs: OLD, launched: false },
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
const killed = (code: number) => ({ exit: exit(code, { cancelled: true }), cancel: kill }) as const;
const notRun = exit(null, { why: 'spawn_error', detail: 'E2BIG' });

/** The status, its exit code or signal if known, and the reason of a failure. */
function judge(facts: Partial<TurnFacts>): string {
  const verdict = deriveStatus({ ...bare, ...facts });
  const { status, exitCode, signal } = verdict;
  const why = verdict.status === 'failed' ? [Object.values(verdict.reason).join(' ')] : [];
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
  [
    'nothing ran, as its launch had been declared dead',
    { exit: exit(null, { cancelled: true, why: 'cancelled' }), cancel: never },
    'lost',
  ],
  ['declared dead, and ran all the same', { exit: exit(1, { cancelled: true }), cancel: never }, 'killed 1'],
  ['nothing ran, not cancelled', { exit: notRun }, 'failed: not_run spawn_error E2BIG'],
  ['code 0, failed', { exit: exit(0), terminal: failed }, 'failed 0: agent_failed gone'],
  ['code not 0, failed', { exit: exit(1), terminal: failed }, 'failed 1: agent_failed gone'],
  ['code not 0, completed', { exit: exit(42), terminal: completed }, 'failed 42: exit_code 42'],
  ['code not 0, none', { exit: exit(143) }, 'failed SIGTERM: signal SIGTERM'],
  ['code unknown, none', { exit: exit(null) }, 'failed: no_result'],
  ['code 0, none', { exit: exit(0) }, 'failed 0: no_result'],
  ['adopted, completed', { adopted: true, exit: exit(null), terminal: completed }, 'completed'],
  [
    'adopted, cut off',
    { adopted: true, exit: exit(null, { cancelled: true }), terminal: completed },
    'completed',
  ],
  ['adopted, cut off', { adopted: true, exit: exit(null, { cancelled: true }) }, 'killed'],
  ['adopted, failed', { adopted: true, exit: exit(null), terminal: failed }, 'failed: agent_failed gone'],
  ['adopted, no end', { adopted: true, exit: exit(null) }, 'lost'],
  ['adopted, with a code', { adopted: true, exit: exit(1), terminal: completed }, 'failed 1: exit_code 1'],
  ['queued', { queued: true }, 'pending'],
  ['no runner yet, claimer alive', { claimer: 'yes' }, 'pending'],
  ['no runner yet, younger than 5 s', { ageMs: LAUNCH_GRACE_MS - 1 }, 'pending'],
  ['runner alive', alive, 'running'],
  ['runner alive, cancelled', { ...alive, cancel: kill }, 'running'],
  ['runner alive, although its agent has completed', { ...alive, terminal: completed }, 'running'],
  ['something with the mark alive, although no runner was seen', { living: 'yes', ageMs: 0 }, 'running'],
  ['an end recorded, something alive', { ...alive, ...killed(0), terminal: completed }, 'completed 0'],
  ['nothing alive, completed', { ...dead, terminal: completed, cancel: kill }, 'completed'],
  ['nothing alive, cancelled, failed', { ...dead, cancel: 'limit', terminal: failed }, 'killed'],
  ['nothing alive, failed', { ...dead, terminal: failed }, 'failed: agent_failed gone'],
  ['… and never-launched', { ...dead, terminal: failed, cancel: never }, 'failed: agent_failed gone'],
  ['nothing alive, none', dead, 'lost'],
  ['nothing alive, never-launched, none', { cancel: never }, 'lost'],
  ['no runner, claimer dead, older than 5 s', { ageMs: LAUNCH_GRACE_MS }, 'lost'],
  ['no runner yet, cancelled, claimer alive', { claimer: 'yes', cancel: kill }, 'pending'],
  ['no runner yet, cancelled, claimer dead', { ageMs: 0, cancel: kill }, 'killed'],
  ['declared dead, although its claimer lives', { claimer: 'yes', cancel: never }, 'lost'],
  ['withdrawn from the queue', { queued: true, cancel: 'withdraw' }, 'killed'],
  ['cannot tell of the runner', { ...dead, living: 'cannot_tell', cancel: kill }, 'unknown'],
  ['cannot tell of the claimer', { claimer: 'cannot_tell' }, 'unknown'],
  ['… and cancelled', { claimer: 'cannot_tell', cancel: kill }, 'unknown'],
  // A claim that came while a list was read is young; one that a clock which was set back makes so is not.
  ['claimed just after the reading began', { ageMs: -59_999 }, 'pending'],
  ['claimed in the future', { ageMs: -60_000 }, 'lost'],
  ['claimed in the future, claimer alive', { ageMs: -OLD, claimer: 'yes' }, 'pending'],
])('%s', (_, facts, expected) => {
  expect(judge(facts)).toBe(expected);
});

test('whatever it was cancelled by, it was killed; a launch that was declared dead is lost', () => {
  const lost = Array(CANCEL_REASONS.length - 1)
    .fill('killed')
    .concat('lost');
  expect(CANCEL_REASONS.map((cancel) => judge({ ...dead, cancel }))).toEqual(lost);
});

test('a status is final when it never changes again', () => {
  const final = { completed: true, failed: true, killed: true, lost: true };
  const others = { pending: false, running: false, unknown: false };
  expect(Object.fromEntries(TURN_STATUSES.map((status) => [status, isFinal(status)]))).toEqual({
    ...others,
    ...final,
  });
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

const LIVENESS = ['yes', 'no', 'cannot_tell'] as const;
const CANCELS: readonly (CancelReason | null)[] = [null, ...CANCEL_REASONS];
const WHYS: readonly (NotRunReason | null)[] = [null, ...NOT_RUN_REASONS];
const TERMINALS = [null, completed, failed];
const CODES = [null, 0, 1, 127, 128, 137, 143, 255];

const EXITS = CODES.flatMap((code) =>
  WHYS.flatMap((why) => [true, false].map((cancelled) => exit(code, { why, cancelled }))),
);

function* everything(): Generator<TurnFacts> {
  for (const queued of [true, false])
    for (const claimer of LIVENESS)
      for (const ageMs of [-60_000, -1, 0, 4999, 5000, Number.NaN])
        for (const launched of [true, false])
          for (const living of LIVENESS)
            for (const cancel of CANCELS)
              for (const exit of [null, ...EXITS])
                for (const terminal of TERMINALS)
                  yield { adopted: false, queued, claimer, ageMs, launched, living, cancel, exit, terminal };
}

// What an agent prints ends no turn that runs, and undoes no recorded end: only code 0 completes. Nor does a late cancel.
function isSound(facts: TurnFacts): boolean {
  const { status, exitCode, signal } = deriveStatus(facts);
  const silent = deriveStatus({ ...facts, terminal: null });
  const uncancelled = deriveStatus({ ...facts, cancel: null });
  return (
    TURN_STATUSES.includes(status) &&
    (exitCode === null || signal === null) &&
    isFinal(status) === isFinal(silent.status) &&
    (isFinal(status) || status === silent.status) &&
    (facts.exit === null || isFinal(status)) &&
    (!facts.exit || facts.exit.why === 'cancelled' || status === uncancelled.status) &&
    (!facts.exit || facts.exit.code === 0 || (status === silent.status && status !== 'completed')) &&
    exitCode === silent.exitCode &&
    signal === silent.signal
  );
}

test('every combination of facts, however absurd, has a sound status', () => {
  let count = 0;
  for (const facts of everything()) {
    if (!isSound(facts)) expect({ facts, verdict: deriveStatus(facts) }).toBe('sound');
    count += 1;
  }
  expect(count).toBe(2 * 3 * 6 * 6 * 7 * 113 * 3);
});

/** A turn in the world: its facts, whether its runner lives, and whether that went on to run the agent. */
interface World {
  readonly facts: TurnFacts;
  readonly attended: boolean;
  readonly runs: boolean;
}

/** All that can happen next. Nobody cancels a turn that was seen to be over, but anybody may be late. */
function next({ facts, attended, runs }: World): World[] {
  const { launched, living, cancel, terminal } = facts;
  const status = deriveStatus(facts).status;
  const worlds: World[] = [];
  const become = (change: Partial<TurnFacts>, more: Partial<World> = {}): void => {
    worlds.push({ attended, runs, facts: { ...facts, ...change }, ...more });
  };
  const end = (goesOn = runs): void => become({ living: 'no' }, { attended: false, runs: goesOn });
  const record = (change: Partial<ExitFact>): void => {
    become({ exit: exit(null, { cancelled: cancel !== null, ...change }) }, { runs: false });
  };
  if (facts.claimer === 'yes') become({ claimer: 'no' });
  if (facts.ageMs < 5000) become({ ageMs: 5000 });
  // `kill` acts on what is not over; a cancel that was on its way when the end was recorded comes late.
  if (cancel === null && (!isFinal(status) || facts.exit !== null)) become({ cancel: 'kill' });
  // Who acts on a launch that is dead says so first.
  if (cancel === null && status === 'lost' && !launched) become({ cancel: 'never-launched' });
  if (facts.exit !== null) {
    if (living === 'yes') end();
    return worlds;
  }
  // Who has killed a turn and sees nothing of it any more records that, if nobody else has.
  if (cancel === 'kill' && living === 'no' && (status === 'killed' || status === 'pending')) {
    record({ why: launched ? null : 'cancelled' });
  }
  // A launcher whose runner could not be started says so, and does not know of a cancellation in the same moment.
  if (facts.claimer === 'yes' && !launched && living === 'no') {
    record({ why: 'spawn_error', detail: 'E2BIG', cancelled: false });
  }
  // A launch that nobody has declared dead is not over for good: its runner may still come.
  if (!launched && living === 'no' && (cancel !== null || status !== 'lost'))
    become({ living: 'yes' }, { attended: true });
  if (!launched && attended && !runs) {
    become({ launched: true }, { runs: cancel === null });
    end();
  }
  if (launched && attended) {
    if (!runs) record({ why: 'cancelled' });
    if (runs) {
      for (const code of [0, 1, 137]) record({ code });
      if (!terminal) record({ why: 'no_agent' });
      become({}, { attended: false });
    }
    end(false);
  }
  if (living === 'yes' && runs && terminal === null) {
    become({ terminal: completed });
    become({ terminal: failed });
  }
  if (living === 'yes' && !attended) end(false);
  return worlds;
}

test('what is over stays what it was, whatever comes later', () => {
  const seen = new Set<string>();
  const ends = new Set<string>();
  const claimed: TurnFacts = { ...bare, claimer: 'yes', ageMs: 0 };
  const open: World[] = [{ facts: claimed, attended: false, runs: false }];
  for (let world = open.pop(); world !== undefined; world = open.pop()) {
    const key = JSON.stringify(world);
    if (seen.has(key)) continue;
    seen.add(key);
    const before = deriveStatus(world.facts);
    if (isFinal(before.status)) ends.add(before.status);
    for (const after of next(world)) {
      const then = deriveStatus(after.facts);
      // A runner that comes after its turn was called off lives for a moment, and then records that nothing ran.
      const passing = then.status === 'running' && !after.runs;
      if (isFinal(before.status) && !passing) {
        const course = { from: world.facts, to: after.facts };
        expect({ ...course, status: then.status }).toEqual({ ...course, status: before.status });
      }
      open.push(after);
    }
  }
  expect([...ends].sort()).toEqual(['completed', 'failed', 'killed', 'lost']);
  expect(seen.size).toBeGreaterThan(100);
});
