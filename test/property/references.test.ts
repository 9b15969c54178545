import { expect, test } from 'vitest';
import { ZwarmError } from '../../src/core/errors.ts';
import {
  ID_ALPHABET,
  ID_LENGTH,
  ID_LETTERS,
  isSessionId,
  matchPrefix,
  parseTurnNumber,
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
const ids = fc.uniqueArray(sessionId, { maxLength: 12 });
const typed = fc.oneof(
  sessionId.chain((id) => fc.nat(ID_LENGTH).map((length) => id.slice(0, length))),
  fc.constantFrom('@last', '@last~3'),
  anyText,
);

/** The id that a beginning means, or the code of the error. */
function matched(text: string, known: readonly SessionId[], minPrefix: number): string {
  try {
    return matchPrefix(text, known, minPrefix);
  } catch (error) {
    if (error instanceof ZwarmError) return error.code;
    throw error;
  }
}

test('a beginning means the only id that has it, in whatever order the ids lie', () => {
  void fc.assert(
    fc.property(ids, typed, fc.constantFrom(3, 4), (known, text, minPrefix) => {
      const begun = known.filter((id) => id.startsWith(text));
      const isFound = text.length >= minPrefix && begun.length > 0;
      const expected = !isFound ? 'not_found' : begun.length === 1 ? begun[0] : 'ambiguous';
      for (const order of [known, known.toReversed()]) {
        expect(matched(text, order, minPrefix)).toBe(expected);
      }
    }),
    runs(5),
  );
});

test('only what we could have made is an id, and only a plain number is a turn', () => {
  void fc.assert(
    fc.property(fc.oneof(sessionId, typed), (text) => {
      const letterByLetter =
        text.length === ID_LENGTH &&
        ID_LETTERS.includes(text.charAt(0)) &&
        text.split('').every((letter) => ID_ALPHABET.includes(letter));
      expect(isSessionId(text)).toBe(letterByLetter);
    }),
  );
  void fc.assert(
    fc.property(fc.oneof(fc.nat(10_000_001).map(String), anyText), (text) => {
      const turn = parseTurnNumber(text);
      if (turn === null) expect(/^[1-9]\d{0,6}$/.test(text)).toBe(false);
      else expect(String(turn)).toBe(text);
    }),
  );
});
