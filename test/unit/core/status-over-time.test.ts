import { expect, test } from 'vitest';
import {
  type CancelWhy,
  deriveStatus,
  type ExitFact,
  isFinal,
  type NotRunWhy,
  type TurnFacts,
} from '../../../src/core/status.ts';

const STATUSES = ['pending', 'running', 'completed', 'failed', 'killed', 'lost', 'unknown'];
const LIVENESS = ['yes', 'no', 'cannot_tell'] as const;
const CANCELS: readonly (CancelWhy | null)[] = [
  null,
  'kill',
  'interrupt',
  'withdraw',
  'dependency',
  'limit',
  'never-launched',
];
const WHYS: readonly (NotRunWhy | null)[] = [
  null,
  'cancelled',
  'no_working_dir',
  'no_agent',
  'not_launched',
  'spawn_error',
];
const TERMINALS = [null, { kind: 'completed' }, { kind: 'failed', message: 'm' }] as const;
const CODES = [null, 0, 1, 127, 128, 137, 143, 255];

function* everything(): Generator<TurnFacts> {
  const runners = [
    null,
    ...LIVENESS.flatMap((self) => [true, false].map((group) => ({ self, group }))),
  ] as const;
  const exits = [
    null,
    ...CODES.flatMap((code) =>
      WHYS.flatMap((why) => [true, false].map((cancelled) => ({ code, why, detail: null, cancelled }))),
    ),
  ];
  for (const queued of [true, false])
    for (const claimer of LIVENESS)
      for (const ageMs of [-1, 0, 4999, 5000, Number.NaN])
        for (const runner of runners)
          for (const cancel of CANCELS)
            for (const exit of exits)
              for (const terminal of TERMINALS)
                yield { queued, claimer, ageMs, runner, cancel, exit, terminal };
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
  expect(count).toBe(2 * 3 * 5 * 7 * 7 * 97 * 3);
});

/** A turn in the world: its facts, and what its runner saw before it ran the agent. */
interface World {
  readonly facts: TurnFacts;
  readonly runs: boolean;
}

/** All that can happen next. Nobody cancels a turn that was seen to be over, but anybody may be late. */
function next({ facts, runs }: World): World[] {
  const { runner, cancel, exit, terminal } = facts;
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
  if (cancel === null && status === 'lost' && runner === null) become({ cancel: 'never-launched' });
  if (exit !== null) {
    if (runner?.self === 'yes') become({ runner: { self: 'no', group: false } });
    return worlds;
  }
  // A launch that nobody has declared dead is not over for good: its runner may still come.
  const declared = cancel !== null;
  if (runner === null && (declared || status !== 'lost')) {
    become({ runner: { self: 'yes', group: true } }, !declared);
  }
  if (runner?.self === 'yes') {
    if (!runs) record({ why: 'cancelled' });
    if (runs) {
      for (const code of [0, 1, 137]) record({ code });
      if (!terminal) record({ why: 'no_agent' });
      become({ runner: { self: 'no', group: true } });
    }
    become({ runner: { self: 'no', group: false } }, false);
  }
  if (runner?.group && runs && terminal === null) {
    become({ terminal: { kind: 'completed' } });
    become({ terminal: { kind: 'failed', message: 'm' } });
  }
  if (runner?.self === 'no' && runner.group) become({ runner: { self: 'no', group: false } }, false);
  return worlds;
}

test('what is over stays what it was, whatever comes later', () => {
  const claimed: TurnFacts = {
    queued: false,
    claimer: 'yes',
    ageMs: 0,
    runner: null,
    cancel: null,
    exit: null,
    terminal: null,
  };
  const seen = new Set<string>();
  const ends = new Set<string>();
  const open: World[] = [{ facts: claimed, runs: false }];
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
  const facts = { queued: false, claimer: 'no', ageMs: 0, runner: null, exit, terminal: null } as const;
  expect(deriveStatus({ ...facts, cancel: null }).status).toBe(status);
  expect(deriveStatus({ ...facts, ...late }).status).toBe(status);
});

test.each([
  ['never-launched' as const, 'lost'],
  ['withdraw' as const, 'killed'],
])('a turn called off by %s stays %s when its runner comes late after all', (cancel, status) => {
  const facts = { queued: false, claimer: 'no', ageMs: 9e9, exit: null, terminal: null, cancel } as const;
  const exit = { code: null, why: 'cancelled', detail: null, cancelled: true } as const;
  const runner = { self: 'no', group: false } as const;
  expect(deriveStatus({ ...facts, runner: null }).status).toBe(status);
  expect(deriveStatus({ ...facts, runner, exit }).status).toBe(status);
  expect(deriveStatus({ ...facts, runner }).status).toBe(status);
});
