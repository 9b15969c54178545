import { expect, test } from 'vitest';
import { speakingTurn } from '../../../src/core/rules/speaking-turn.ts';
import type { TurnKind } from '../../../src/core/session.ts';
import type { TurnStatus } from '../../../src/core/status.ts';

/** Turns, oldest first: `(status)` has shown no runner, `rewind` is a marker, `rewind?` one of another host. */
function turnsOf(text: string) {
  return text.split(' ').map((word, i) => {
    const status = { rewind: 'completed', 'rewind?': 'unknown' }[word] ?? word.replace(/[()]/g, '');
    const kind: TurnKind = word.startsWith('rewind') ? 'rewind' : 'prompt';
    return {
      turn: i + 1,
      request: { kind },
      runner: kind === 'rewind' || word.startsWith('(') ? null : {},
      verdict: { status: status as TurnStatus },
    };
  });
}

test.each<[string, string, number | undefined, number[] | undefined]>([
  ['the only one', 'completed', 1, []],
  ['the newest of several that ran', 'completed failed completed', 3, []],
  ['the one that runs', 'completed running', 2, []],
  ['the one that runs, not those claimed behind it', 'completed running (pending) (pending)', 2, [3, 4]],
  ['not what was called off behind the one that runs', 'running (killed) (pending)', 1, [3]],
  ['one that runs although its runner left no record', 'completed (running) (pending)', 2, [3]],
  ['one that nobody can look at and that left none', 'completed (unknown) (pending)', 2, [3]],
  ['one that nobody can look at, like one that runs', 'completed unknown (pending)', 2, [3]],
  ['one alone that nobody can look at', '(unknown)', 1, []],
  ['a pending one behind one that has ended', 'completed (pending)', 2, []],
  ['one that could not be launched', 'completed (failed)', 2, []],
  ['no marker', 'rewind rewind', undefined, undefined],
  ['never a marker', 'completed rewind', 1, []],
  ['nor one that nobody can look at', 'completed rewind?', 1, []],
  ['one alone that is about to run', '(pending)', 1, []],
  ['the one that runs, behind a marker', 'completed rewind running', 3, []],
  ['no turn before the newest that ran, whatever its record says', 'unknown completed', 2, []],
  ['nor one that seems to run', 'running completed (failed)', 3, []],
])('%s speaks for a session', (_, turns, current, behind) => {
  const speaking = speakingTurn(turnsOf(turns).reverse());
  expect(speaking?.current.turn).toBe(current);
  expect(speaking?.behind.map(({ turn }) => turn)).toEqual(behind);
});
