import { expect, test } from 'vitest';
import { ZwarmError } from '../../src/core/errors.ts';
import {
  type Candidate,
  ID_ALPHABET,
  ID_LENGTH,
  ID_LETTERS,
  isSessionId,
  parseRef,
  parseTurnNumber,
  resolveRef,
  type SessionId,
} from '../../src/core/ids.ts';
import { anyText, fc, runs } from '../helpers/fuzz.ts';

// Few letters, so that beginnings are shared and names look like ids.
const letters = (text: string) => fc.constantFrom(...text);
const sessionId = fc
  .tuple(
    letters('ab'),
    fc.string({ unit: letters('ab2'), minLength: ID_LENGTH - 1, maxLength: ID_LENGTH - 1 }),
  )
  .map(([first, rest]) => `${first}${rest}` as SessionId);
const name = fc.oneof(sessionId, fc.string({ unit: letters('ab'), minLength: 1, maxLength: 5 }));
const candidates = fc.uniqueArray(
  fc.record({
    id: sessionId,
    name: fc.option(name),
    createdAt: fc.constantFrom('', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
  }),
  { selector: (candidate) => candidate.id, maxLength: 12 },
);
const typed = fc.oneof(
  name,
  sessionId.chain((id) => fc.nat(ID_LENGTH).map((length) => id.slice(0, length))),
  fc.nat(14).map((back) => `@last~${back}`),
  fc.constant('@last'),
  anyText,
);

/** The id that a text means, or the code of the error. */
function resolved(text: string, known: readonly Candidate[], minPrefix: number): string {
  try {
    return resolveRef(parseRef(text), known, minPrefix);
  } catch (error) {
    if (error instanceof ZwarmError) return error.code;
    throw error;
  }
}

test('whatever is typed means one known session or is a known error, in whatever order the sessions lie', () => {
  fc.assert(
    fc.property(candidates, typed, fc.constantFrom(3, 4), fc.nat(), (known, text, minPrefix, turn) => {
      const found = resolved(text, known, minPrefix);
      const ids: readonly string[] = known.map(({ id }) => id);
      if (!ids.includes(found)) expect(['usage', 'not_found', 'ambiguous']).toContain(found);
      const moved = [...known.slice(turn % (known.length + 1)), ...known.slice(0, turn % (known.length + 1))];
      expect(resolved(text, moved.reverse(), minPrefix)).toBe(found);
    }),
    runs(5),
  );
});

test('a full id means itself, then a name its only bearer, then a beginning the only id that has it', () => {
  fc.assert(
    fc.property(candidates, typed, fc.constantFrom(3, 4), (known, text, minPrefix) => {
      const found = resolved(text, known, minPrefix);
      if (found === 'usage' || text.startsWith('@')) return;
      const named = known.filter((candidate) => candidate.name === text);
      const begun = known.filter((candidate) => candidate.id.startsWith(text)).map(({ id }) => id);
      if (known.some(({ id }) => id === text)) expect(found).toBe(text);
      else if (named.length > 0) expect(found).toBe(named.length === 1 ? named[0]?.id : 'ambiguous');
      else if (begun.length === 0 || text.length < minPrefix) expect(found).toBe('not_found');
      else expect(found).toBe(begun.length === 1 ? begun[0] : 'ambiguous');
    }),
    runs(5),
  );
});

test('only what we could have made is an id, and only a plain number is a turn', () => {
  fc.assert(
    fc.property(fc.oneof(sessionId, typed), (text) => {
      const letterByLetter =
        text.length === ID_LENGTH &&
        ID_LETTERS.includes(text.charAt(0)) &&
        text.split('').every((letter) => ID_ALPHABET.includes(letter));
      expect(isSessionId(text)).toBe(letterByLetter);
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.nat(10_000_001).map(String), anyText), (text) => {
      const turn = parseTurnNumber(text);
      if (turn === null) expect(/^[1-9]\d{0,6}$/.test(text)).toBe(false);
      else expect(String(turn)).toBe(text);
    }),
  );
});
