import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shouldCompact } from '../../../../src/core/conversation/compact.ts';
import { type LineageTurn, lineageOf, type Part } from '../../../../src/core/conversation/lineage.ts';

// A course in short: `A` runs in a new thread A, `+A` goes on in it, `r:B` is a replay in a new thread B, `f:A>B` forks
// A as B, `?` never reached the agent, `-` was taken back before it began, `~2` winds back to turn 2, `sA` is a compaction in A, `xA` found A gone, `A!B`
// was to go on in A and came back as B.
function placeOf(word: string, turn: number): LineageTurn {
  const nowhere = { to: null, asked: null, threadId: null };
  const flags = { forks: false, summarised: false, threadGone: false, withdrawn: false };
  const place: LineageTurn = { turn, agent: 'codex', kind: 'prompt', how: 'fresh', ...nowhere, ...flags };
  const [, mark = '', first = '', second = ''] = /^(~|\+|x|s|r:|f:|)(\w?)[>!]?(\w?)$/.exec(word) ?? [];
  const native = { ...place, how: 'native', asked: first, threadId: first } as const;
  if (word === '?') return place;
  if (word === '-') return { ...place, withdrawn: true };
  if (mark === '~') return { ...place, kind: 'rewind', how: null, to: Number(first) };
  if (mark === '+') return native;
  if (mark === 'x') return { ...native, threadId: null, threadGone: true };
  if (mark === 's') return { ...native, kind: 'compact', summarised: true };
  if (mark === 'r:') return { ...place, how: 'replay', threadId: first };
  if (second !== '') return { ...native, forks: mark === 'f:', threadId: second };
  return { ...place, threadId: first };
}

const read = (course: string) => lineageOf(course.split(' ').map((word, i) => placeOf(word, i + 1)));
const inShort = (parts: readonly Part[]): string =>
  parts.map(({ kind, turn }) => (kind === 'summary' ? `s${turn}` : `${turn}`)).join(' ') || '-';

// What the agent is to know | the thread that holds it | what a person reads.
test.each([
  ['A', '1 | A | 1'],
  ['A +A +A', '1 2 3 | A | 1 2 3'],
  ['?', '- | - | 1'],
  ['A ? +A', '1 3 | A | 1 2 3'],
  ['A - +A', '1 3 | A | 1 3'],
  // Wound back, and on from there: A holds more than the conversation.
  ['A +A ~1', '1 | - | 1'],
  ['A +A ~1 r:B', '1 4 | B | 1 4'],
  ['A +A ~1 r:B +B', '1 4 5 | B | 1 4 5'],
  ['A +A ~0', '- | - | -'],
  ['A +A ~0 B', '4 | B | 4'],
  // A rewind is undone by another: A holds that again.
  ['A +A ~1 ~2', '1 2 | A | 1 2'],
  ['A +A ~1 r:B ~2', '1 2 | A | 1 2'],
  ['A +A ~1 r:B ~2 +A', '1 2 6 | A | 1 2 6'],
  ['A +A ~1 r:B ~2 +A ~4', '1 4 | B | 1 4'],
  // A rewind to a rewind is as it was right after that.
  ['A +A +A ~1 ~3 ~4', '1 | - | 1'],
  // A rewind to a turn that is not there changes nothing.
  ['A +A ~9', '1 2 | A | 1 2'],
  // A compaction is in its thread, too, which therefore holds more.
  ['A +A sA', 's3 | - | 1 2 3'],
  ['A +A sA r:B', 's3 4 | B | 1 2 3 4'],
  ['A +A sA r:B ~2', '1 2 | - | 1 2'],
  ['A +A sA r:B ~3', 's3 | - | 1 2 3'],
  ['A sA r:B sB r:C', 's4 5 | C | 1 2 3 4 5'],
  // What is lost is not gone on with.
  ['A +A xA', '1 2 | - | 1 2 3'],
  ['A +A xA r:B', '1 2 4 | B | 1 2 3 4'],
  ['A A!B', '1 2 | - | 1 2'],
  ['A A!B +B', '1 2 3 | - | 1 2 3'],
  // A fork knows what its parent knew, and leaves it alone.
  ['A f:A>B', '1 2 | B | 1 2'],
  ['A f:A>B ~1', '1 | A | 1'],
  ['A f:A>B +B ~2', '1 2 | - | 1 2'],
  // Of a thread that nobody saw begin, nobody knows what it holds.
  ['+A', '1 | - | 1'],
])('%s: %s', (course, expected) => {
  const { parts, thread, shown } = read(course);
  expect(`${inShort(parts)} | ${thread ?? '-'} | ${shown.join(' ') || '-'}`).toBe(expected);
});

// What a new thread is told: also what was typed and never reached the agent.
test.each([
  ['A +A', '1 2'],
  ['?', '1'],
  ['? ?', '1 2'],
  ['A ? +A', '1 2 3'],
  ['A - +A', '1 3'],
  ['? r:A xA', '1 2 3'],
  ['? ? ~1', '1'],
  ['? ~0', '-'],
  ['A ? ~1', '1'],
  ['A sA ?', 's2 3'],
  ['A sA ? r:B', 's2 3 4'],
  ['A ? sA r:B ~2', '1 2'],
])('%s tells %s', (course, expected) => {
  expect(inShort(read(course).told)).toBe(expected);
});

/** The conversation by the rule in words: it is what it was right after the turn to which a rewind leads. */
function byTheRule(course: readonly string[]): readonly number[] {
  const after: (readonly number[])[] = [[]];
  for (const [i, word] of course.entries()) {
    const before = after[i] ?? [];
    const isRewind = word.startsWith('~');
    after.push(
      isRewind ? (after[Number(word.slice(1))] ?? before) : word === '-' ? before : [...before, i + 1],
    );
  }
  return after.at(-1) ?? [];
}

test('whatever the rewinds, what is shown and what was rewound are all turns but markers and what was taken back', () => {
  const word = fc.constantFrom('A', '+A', '-', '~0', '~1', '~2', '~3', '~4', '~5', '~6');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 9 }), (course) => {
      const { shown, undone } = lineageOf(course.map((one, i) => placeOf(one, i + 1)));
      expect(shown).toEqual(byTheRule(course));
      const turns = course.flatMap((one, i) => (/[~-]/.test(one) ? [] : [i + 1]));
      expect(turns.filter((turn) => !undone.has(turn))).toEqual(shown);
    }),
    { seed: 20_261_128, numRuns: 500 },
  );
});

test('a rewind whose record does not say to where changes nothing', () => {
  const turns = [placeOf('A', 1), placeOf('+A', 2), { ...placeOf('~1', 3), to: null }];
  expect(lineageOf(turns)).toEqual(lineageOf(turns.slice(0, 2)));
});

test.each([
  [81, 100, 0.8, true],
  [80, 100, 0.8, false],
  [5, 100, 0.8, false],
  [500, 100, 1, true],
  // What is not known is no reason.
  [null, 100, 0.8, false],
  [81, null, 0.8, false],
  [81, 0, 0.8, false],
  [81, 100, Number.NaN, false],
])('%j of %j over %d: %s', (usage, window, threshold, expected) => {
  expect(shouldCompact(usage, window, threshold)).toBe(expected);
});
