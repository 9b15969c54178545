import { expect, test } from 'vitest';
import { SESSION_STATUSES } from '../../src/core/session.ts';
import { deriveStatus, isFinal, type Terminal, type TurnFacts } from '../../src/core/status.ts';
import { anyText, fc, runs } from '../helpers/fuzz.ts';

const liveness = fc.constantFrom('yes', 'no', 'cannot_tell');
const cancel = fc.option(
  fc.constantFrom('kill', 'interrupt', 'withdraw', 'dependency', 'limit', 'never-launched'),
);
const terminal: fc.Arbitrary<Terminal | null> = fc.oneof(
  fc.constantFrom(null, { kind: 'completed' } as const),
  anyText.map((message) => ({ kind: 'failed', message }) as const),
);
const exit = fc.record({
  code: fc.oneof(fc.integer({ min: 0, max: 255 }), fc.integer(), fc.constant(null)),
  why: fc.option(fc.constantFrom('cancelled', 'no_working_dir', 'no_agent', 'not_launched', 'spawn_error')),
  detail: fc.option(anyText),
  cancelled: fc.boolean(),
});
const facts: fc.Arbitrary<TurnFacts> = fc.record({
  queued: fc.boolean(),
  claimer: liveness,
  ageMs: fc.oneof(fc.integer(), fc.double(), fc.constantFrom(4999, 5000)),
  launched: fc.boolean(),
  living: liveness,
  attended: fc.boolean(),
  cancel,
  exit: fc.option(exit),
  terminal,
});

test('any facts have one status, and the same ones always the same', () => {
  void fc.assert(
    fc.property(facts, (some) => {
      const verdict = deriveStatus(some);
      expect(SESSION_STATUSES).toContain(verdict.status);
      expect(verdict.exitCode === null || verdict.signal === null).toBe(true);
      expect(deriveStatus(structuredClone(some))).toEqual(verdict);
      if (some.exit !== null) expect(isFinal(verdict.status)).toBe(true);
    }),
    runs(10),
  );
});

test('what an agent prints ends no turn that runs, and makes none run', () => {
  void fc.assert(
    fc.property(facts, terminal, (some, forged) => {
      const [told, silent] = [
        { ...some, terminal: forged },
        { ...some, terminal: null },
      ].map(deriveStatus);
      expect(told && isFinal(told.status)).toBe(silent && isFinal(silent.status));
      if (silent && !isFinal(silent.status)) expect(told).toEqual(silent);
    }),
    runs(10),
  );
});

test('what an agent prints cannot undo a recorded end: only code 0 completes, and what was killed stays killed', () => {
  void fc.assert(
    fc.property(facts, exit, terminal, (some, end, forged) => {
      const { status, exitCode, signal } = deriveStatus({ ...some, exit: end, terminal: forged });
      const silent = deriveStatus({ ...some, exit: end, terminal: null });
      if (end.code !== 0) expect(status).toBe(silent.status);
      if (end.code !== 0) expect(status).not.toBe('completed');
      expect([exitCode, signal]).toEqual([silent.exitCode, silent.signal]);
    }),
    runs(10),
  );
});
