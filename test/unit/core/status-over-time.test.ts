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

function* everything(): Generator<TurnFacts> {
  const processes = [true, false].flatMap((launched) =>
    LIVENESS.flatMap((living) => [true, false].map((attended) => ({ launched, living, attended }))),
  );
  const exits = [
    null,
    ...CODES.flatMap((code) =>
      WHYS.flatMap((why) => [true, false].map((cancelled) => ({ code, why, detail: null, cancelled }))),
    ),
  ];
  for (const queued of [true, false])
    for (const claimer of LIVENESS)
      for (const ageMs of [-60_000, -1, 0, 4999, 5000, Number.NaN])
        for (const them of processes)
          for (const cancel of CANCELS)
            for (const exit of exits)
              for (const terminal of TERMINALS)
                yield { queued, claimer, ageMs, ...them, cancel, exit, terminal };
}

test('every combination of facts, however absurd, has a known status', () => {
  let count = 0;
  for (const facts of everything()) {
    const { status, exitCode, signal, stopping, orphaned } = deriveStatus(facts);
    const sound =
      STATUSES.includes(status) &&
      (exitCode === null || signal === null) &&
      (status === 'running' || (!stopping && !orphaned)) &&
      (facts.exit === null || isFinal(status));
    if (!sound) expect({ facts, status, exitCode, signal, stopping, orphaned }).toBe('sound');
    count += 1;
  }
  expect(count).toBe(2 * 3 * 6 * 12 * 7 * 97 * 3);
});

/** A turn in the world: its facts, and what its runner saw before it ran the agent. */
interface World {
  readonly facts: TurnFacts;
  readonly runs: boolean;
}

const GONE = { living: 'no', attended: false } as const;
const ATTENDED = { living: 'yes', attended: true } as const;
const ORPHANED = { living: 'yes', attended: false } as const;

/** All that can happen next. Nobody cancels a turn that was seen to be over, but anybody may be late. */
function next({ facts, runs }: World): World[] {
  const { launched, living, attended, cancel, exit, terminal } = facts;
  const status = deriveStatus(facts).status;
  const worlds: World[] = [];
  const become = (change: Partial<TurnFacts>, goesOn = runs): void => {
    worlds.push({ facts: { ...facts, ...change }, runs: goesOn });
  };
  const record = (change: Partial<ExitFact>): void => {
    become({ exit: { code: null, why: null, detail: null, cancelled: cancel !== null, ...change } }, false);
  };
  if (facts.claimer === 'yes') become({ claimer: 'no' });
  if (facts.ageMs < 5000) become({ ageMs: 5000 });
  // `kill` acts on what is not over; a cancel that was on its way when the end was recorded comes late.
  if (cancel === null && (!isFinal(status) || exit !== null)) become({ cancel: 'kill' });
  // Who acts on a launch that is dead says so first.
  if (cancel === null && status === 'lost' && !launched) become({ cancel: 'never-launched' });
  if (exit !== null) {
    if (living === 'yes') become(GONE);
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
  if (!launched && living === 'no' && (cancel !== null || status !== 'lost')) become(ATTENDED);
  if (!launched && attended && !runs) {
    become({ launched: true }, cancel === null);
    become(GONE);
  }
  if (launched && attended) {
    if (!runs) record({ why: 'cancelled' });
    if (runs) {
      for (const code of [0, 1, 137]) record({ code });
      if (!terminal) record({ why: 'no_agent' });
      become(ORPHANED);
    }
    become(GONE, false);
  }
  if (living === 'yes' && runs && terminal === null) {
    become({ terminal: { kind: 'completed' } });
    become({ terminal: { kind: 'failed', message: 'm' } });
  }
  if (living === 'yes' && !attended) become(GONE, false);
  return worlds;
}

/** Just claimed. */
const CLAIMED: TurnFacts = {
  queued: false,
  claimer: 'yes',
  ageMs: 0,
  launched: false,
  ...GONE,
  cancel: null,
  exit: null,
  terminal: null,
};

test('what is over stays what it was, whatever comes later', () => {
  const seen = new Set<string>();
  const ends = new Set<string>();
  const open: World[] = [{ facts: CLAIMED, runs: false }];
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
        expect({ from: world.facts, to: after.facts, status: then.status }).toMatchObject({
          status: before.status,
        });
      }
      open.push(after);
    }
  }
  expect([...ends].sort()).toEqual(['completed', 'failed', 'killed', 'lost']);
  expect(seen.size).toBeGreaterThan(100);
});

test.each([
  ['cancel.json after exit.json', { cancel: 'kill' as const }, 'failed'],
  ['never-launched after exit.json', { cancel: 'never-launched' as const }, 'failed'],
])('%s changes nothing', (_, late, status) => {
  const exit = { code: 1, why: null, detail: null, cancelled: false };
  const facts: TurnFacts = { ...CLAIMED, claimer: 'no', exit };
  expect(deriveStatus({ ...facts, cancel: null }).status).toBe(status);
  expect(deriveStatus({ ...facts, ...late }).status).toBe(status);
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
