import { expect, test } from 'vitest';
import {
  CANCEL_WHYS,
  type CancelWhy,
  deriveStatus,
  type ExitFact,
  isFinal,
  NOT_RUN_WHYS,
  type NotRunWhy,
  type TurnFacts,
} from '../../../src/core/status.ts';

const STATUSES = ['pending', 'running', 'completed', 'failed', 'killed', 'lost', 'unknown'];
const LIVENESS = ['yes', 'no', 'cannot_tell'] as const;
const CANCELS: readonly (CancelWhy | null)[] = [null, ...CANCEL_WHYS];
const WHYS: readonly (NotRunWhy | null)[] = [null, ...NOT_RUN_WHYS];
const TERMINALS = [null, { kind: 'completed' }, { kind: 'failed', message: 'm' }] as const;
const CODES = [null, 0, 1, 127, 128, 137, 143, 255];

const EXITS = CODES.flatMap((code) =>
  WHYS.flatMap((why) => [true, false].map((cancelled) => ({ code, why, detail: null, cancelled }))),
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
                  yield { queued, claimer, ageMs, launched, living, cancel, exit, terminal };
}

// What an agent prints ends no turn that runs, and undoes no recorded end: only code 0 completes. Nor does a late cancel.
function isSound(facts: TurnFacts): boolean {
  const { status, exitCode, signal } = deriveStatus(facts);
  const silent = deriveStatus({ ...facts, terminal: null });
  const uncancelled = deriveStatus({ ...facts, cancel: null });
  return (
    STATUSES.includes(status) &&
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
  expect(count).toBe(2 * 3 * 6 * 6 * 7 * 97 * 3);
});

/** A turn in the world: its facts, whether its runner lives, and whether that went on to run the agent. */
interface World {
  readonly facts: TurnFacts;
  readonly attended: boolean;
  readonly runs: boolean;
}

/** All that can happen next. Nobody cancels a turn that was seen to be over, but anybody may be late. */
function next({ facts, attended, runs }: World): World[] {
  const { launched, living, cancel, exit, terminal } = facts;
  const status = deriveStatus(facts).status;
  const worlds: World[] = [];
  const become = (change: Partial<TurnFacts>, more: Partial<World> = {}): void => {
    worlds.push({ attended, runs, facts: { ...facts, ...change }, ...more });
  };
  const end = (goesOn = runs): void => become({ living: 'no' }, { attended: false, runs: goesOn });
  const record = (change: Partial<ExitFact>): void => {
    become(
      { exit: { code: null, why: null, detail: null, cancelled: cancel !== null, ...change } },
      { runs: false },
    );
  };
  if (facts.claimer === 'yes') become({ claimer: 'no' });
  if (facts.ageMs < 5000) become({ ageMs: 5000 });
  // `kill` acts on what is not over; a cancel that was on its way when the end was recorded comes late.
  if (cancel === null && (!isFinal(status) || exit !== null)) become({ cancel: 'kill' });
  // Who acts on a launch that is dead says so first.
  if (cancel === null && status === 'lost' && !launched) become({ cancel: 'never-launched' });
  if (exit !== null) {
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
    become({ terminal: { kind: 'completed' } });
    become({ terminal: { kind: 'failed', message: 'm' } });
  }
  if (living === 'yes' && !attended) end(false);
  return worlds;
}

/** Just claimed. */
const NOTHING = { cancel: null, exit: null, terminal: null };
const CLAIMED: TurnFacts = {
  queued: false,
  claimer: 'yes',
  ageMs: 0,
  launched: false,
  living: 'no',
  ...NOTHING,
};

test('what is over stays what it was, whatever comes later', () => {
  const seen = new Set<string>();
  const ends = new Set<string>();
  const open: World[] = [{ facts: CLAIMED, attended: false, runs: false }];
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

test.each([
  ['never-launched' as const, 'lost'],
  ['withdraw' as const, 'killed'],
])('a turn called off by %s stays %s when its runner comes late after all', (cancel, status) => {
  const facts: TurnFacts = { ...CLAIMED, claimer: 'no', ageMs: 9e9, cancel };
  const exit = { code: null, why: 'cancelled', detail: null, cancelled: true } as const;
  expect(deriveStatus(facts).status).toBe(status);
  expect(deriveStatus({ ...facts, launched: true, exit }).status).toBe(status);
  expect(deriveStatus({ ...facts, launched: true }).status).toBe(status);
});
