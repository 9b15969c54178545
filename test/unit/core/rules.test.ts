import { expect, test } from 'vitest';
import { needsAttention } from '../../../src/core/rules/attention.ts';
import { familiesOf, type Kin } from '../../../src/core/rules/family.ts';
import { parseSources, requireOneAgent, sourceMatcher } from '../../../src/core/rules/source.ts';
import { endsSearch, speakingTurn } from '../../../src/core/rules/speaking-turn.ts';
import type { SessionStatus, TurnStatus } from '../../../src/core/status.ts';
import { branchOf } from '../../../src/render/list.ts';

test.each<[SessionStatus, turn: number | null, seen: number | null, needed: boolean | null]>([
  ['completed', 1, 0, true],
  ['failed', 2, 1, true],
  ['killed', 2, 2, false],
  ['lost', 2, 3, false],
  ['completed', 1, null, null],
  ['running', 2, 1, false],
  ['pending', 2, null, false],
  ['unknown', 2, 1, null],
  ['damaged', null, 1, null],
  ['completed', null, 1, null],
])('%s, turn %s, seen %s: %s', (status, turn, seen, needed) => {
  expect(needsAttention({ status, turn, source: 'mcp:codex' }, 'user', seen)).toBe(needed);
  // What others have started is no business of a client, whatever came of it.
  expect(needsAttention({ status, turn, source: 'mcp:codex' }, 'mcp:codex', seen)).toBe(needed);
  const ofOthers = needsAttention({ status, turn, source: 'user' }, 'mcp:codex', seen);
  expect(ofOthers).toBe(['unknown', 'damaged'].includes(status) || turn === null ? null : false);
});

/** Rows as written, newest first: `id` or `id<parent`. */
function drawn(text: string): string[] {
  const rows = text.split(' ').map((word): Kin => {
    const [id = '', parent = null] = word.split('<');
    return { id, parent };
  });
  return familiesOf(rows).map(({ row, lastOf }) => branchOf(lastOf) + row.id);
}

test.each([
  ['z e<b d<a c<b b<a a', 'z|a|├─ b|│  ├─ c|│  └─ e|└─ d'],
  ['d<b c<b b<a a', 'a|└─ b|   ├─ c|   └─ d'],
  ['b<a c<gone a', 'c|a|└─ b'],
  ['d<d c<b b<c a', 'a|d|c|└─ b'],
])('children stand below their parent, oldest first; roots stay newest first: %s', (text, lines) => {
  expect(drawn(text)).toEqual(lines.split('|'));
});

test('of a family of many generations the nearest are drawn', () => {
  const generations = Array.from({ length: 12 }, (_, i) => (i === 0 ? 'g0' : `g${i}<g${i - 1}`));
  const lines = drawn(generations.reverse().join(' '));
  expect(lines.map((line) => line.trimStart().replace('└─ ', ''))).toEqual(lines.map((_, i) => `g${i}`));
  expect(Math.max(...lines.map((line) => line.length))).toBe(24 + 'g11'.length);
});

const SOURCES = ['user', 'orchestrator:abk2345678', 'orchestrator:abz2345678', 'mcp:codex', 'mcp:codex-2'];

test.each<[string, readonly number[]]>([
  ['you', [0]],
  ['user', [0]],
  ['orch', [1, 2]],
  ['orchestrator', [1, 2]],
  ['orch:abz2', [2]],
  ['orchestrator:abz2345678', [2]],
  ['mcp', [3, 4]],
  ['mcp:codex', [3]],
  ['mine', [3]],
  ['you,mcp:codex-2', [0, 4]],
])('--source %s', (text, expected) => {
  const sessions = SOURCES.map((source, i) => ({ id: String(i), source }));
  const isMeant = sourceMatcher(parseSources(text, 'mcp:codex'), sessions);
  expect(sessions.flatMap((session, i) => (isMeant(session) ? [i] : []))).toEqual(expected);
  expect(isMeant({ id: 'x', source: null })).toBe(false);
});

test('mine is what one has started, what that has started, and so on', () => {
  const sessions = [
    ['d', 'orchestrator:c'],
    ['c', 'orchestrator:b'],
    ['b', 'mcp:me'],
    ['x', 'orchestrator:y'],
    ['y', 'user'],
    // Records of which nobody could make sense.
    ['p', 'orchestrator:q'],
    ['q', 'orchestrator:p'],
    ['n', null],
  ].map(([id, source]) => ({ id: id ?? '', source: source ?? null }));
  const isMeant = sourceMatcher(parseSources('mine', 'mcp:me'), sessions);
  expect(sessions.filter(isMeant).map(({ id }) => id)).toEqual(['d', 'c', 'b']);
});

test('what is no source', () => {
  const error = {
    code: 'usage',
    hint: 'choose from: mine, you, orch, orch:ID, mcp, mcp:CLIENT, lib, lib:CLIENT',
  };
  for (const text of [
    '',
    'me',
    'you,',
    'orch:',
    'orch:a',
    'orch:AB12',
    'mcp:',
    'lib:',
    'users',
    'xorch',
    'xmcp',
    'orchid',
  ])
    expect(() => parseSources(text, 'user'), text).toThrow(expect.objectContaining(error));
});

test('of a long word that is no source the beginning is named', () => {
  const said = `unknown source "${'x'.repeat(80)}"`;
  expect(() => parseSources('x'.repeat(81), 'user')).toThrow(expect.objectContaining({ message: said }));
});

test('the beginning of several agents is refused', () => {
  const several = ['orchestrator:abc2345678', 'orchestrator:abcz345678', 'orchestrator:abc2345678', null];
  expect(() => requireOneAgent(several, parseSources('orch:abc', 'user'))).toThrow(
    expect.objectContaining({ code: 'ambiguous', hint: 'type more of: abc2345678, abcz345678' }),
  );
  for (const text of ['orch', 'orch:abc2', 'you']) requireOneAgent(several, parseSources(text, 'user'));
});

/** Turns, oldest first: `(status)` has shown no runner, `[status]` neither and was queued, `rewind` is a marker that leads nowhere, `rewind?` one of another host, `~1` one that leads to turn 1. */
function turnsOf(text: string) {
  return text.split(' ').map((word, i) => {
    const isRewind = /^(rewind|~)/.test(word);
    const status = isRewind ? (word === 'rewind?' ? 'unknown' : 'completed') : word.replace(/[()[\]]/g, '');
    const kind = isRewind ? 'rewind' : 'prompt';
    return {
      turn: i + 1,
      isMarker: isRewind,
      request: {
        kind,
        queued: word.startsWith('['),
        to: word.startsWith('~') ? Number(word.slice(1)) : null,
      },
      runner: kind === 'rewind' || /^[([]/.test(word) ? null : {},
      verdict: { status: status as TurnStatus },
    };
  });
}

test.each<[string, string, number | null, number[]]>([
  ['the only one', 'completed', 1, []],
  ['the newest of several that ran', 'completed failed completed', 3, []],
  ['the one that runs', 'completed running', 2, []],
  ['the one that runs, not those claimed behind it', 'completed running (pending) (pending)', 2, [3, 4]],
  ['not what was called off behind the one that runs', 'running (killed) (pending)', 1, [3]],
  ['one that runs although its runner left no record', 'completed (running) (pending)', 2, [3]],
  ['one that nobody can look at and that left none', 'completed (unknown) (pending)', 2, [3]],
  ['one that nobody can look at, like one that runs', 'completed unknown (pending)', 2, [3]],
  ['one alone that nobody can look at', '(unknown)', 1, []],
  ['the one that runs, not those that wait', 'completed running [pending] [pending]', 2, [3, 4]],
  ['the oldest of several that wait', 'completed [pending] [pending]', 2, [3]],
  ['not what was taken back', 'completed [killed]', 1, []],
  ['what was taken back where there is nothing else', '[killed]', 1, []],
  ['what failed to begin', 'completed [failed]', 2, []],
  ['a pending one behind one that has ended', 'completed (pending)', 2, []],
  ['one that could not be launched', 'completed (failed)', 2, []],
  ['no marker', 'rewind rewind', null, []],
  ['never a marker', 'completed rewind', 1, []],
  ['nor one that nobody can look at', 'completed rewind?', 1, []],
  ['one alone that is about to run', '(pending)', 1, []],
  ['the one that runs, behind a marker', 'completed rewind running', 3, []],
  ['no turn before the newest that ran, whatever its record says', 'unknown completed', 2, []],
  ['nor one that seems to run', 'running completed (failed)', 3, []],
])('%s speaks for a session', (_, turns, current, behind) => {
  const speaking = speakingTurn(turnsOf(turns).reverse(), 0);
  expect(speaking.current?.turn ?? null).toBe(current);
  expect(speaking.behind.map(({ turn }) => turn)).toEqual(behind);
  expect(speaking.isUndone).toBe(false);
});

/** How far the newest turns have to be read until it is known which one speaks: all that are needed, newest first. */
function readUntilKnown(text: string) {
  const read: ReturnType<typeof turnsOf> = [];
  for (const turn of turnsOf(text).reverse()) {
    read.push(turn);
    if (endsSearch(read)) break;
  }
  return read;
}

test.each<[string, string, number, { current: number | null; last: number | null }]>([
  ['the one to which a rewind leads', 'completed failed ~1', 0, { current: 1, last: 1 }],
  ['none after a rewind to the beginning', 'completed failed ~0', 0, { current: null, last: null }],
  ['the newest since', 'completed failed ~1 completed', 0, { current: 4, last: 4 }],
  ['what another rewind brings back', 'completed failed ~1 ~2', 0, { current: 2, last: 2 }],
  ['what a rewind to a rewind leaves', 'completed failed ~1 killed ~3', 0, { current: 1, last: 1 }],
  ['the one before several', 'completed killed killed ~2 lost ~1', 0, { current: 1, last: 1 }],
  ['what runs, though it was rewound', 'completed running ~1', 0, { current: 2, last: 1 }],
  ['what may run elsewhere, likewise', 'completed unknown ~0', 0, { current: 2, last: null }],
  ['what waits, likewise', 'completed [pending] ~1', 0, { current: 2, last: 1 }],
  ['nothing that was taken back after a rewind', 'completed ~0 [killed]', 0, { current: null, last: null }],
  ['nothing to which a rewind leads forward', 'completed failed ~3', 0, { current: 2, last: 2 }],
  ['no copy', 'completed failed', 2, { current: null, last: 2 }],
  ['no copy behind which something was taken back', 'completed [killed]', 1, { current: null, last: 1 }],
  ['the first turn of a fork', 'completed failed completed', 2, { current: 3, last: 3 }],
  ['no copy after a rewind to it', 'completed failed completed ~1', 2, { current: null, last: 1 }],
  ['no copy in which a rewind was copied, too', 'completed failed ~1', 3, { current: null, last: 1 }],
])('%s speaks for a session that was rewound or forked', (_, turns, copied, expected) => {
  for (const read of [turnsOf(turns).reverse(), readUntilKnown(turns)]) {
    const { current, last, isUndone } = speakingTurn(read, copied);
    expect({
      current: current?.turn ?? null,
      last: last?.turn ?? null,
    }).toEqual(expected);
    expect(isUndone).toBe(current !== null && current !== last);
  }
});

test('the search for the turn that speaks reads no more than it has to', () => {
  expect(readUntilKnown('completed completed').map(({ turn }) => turn)).toEqual([2]);
  expect(readUntilKnown('completed completed completed ~2').map(({ turn }) => turn)).toEqual([4, 3, 2]);
  expect(readUntilKnown('completed completed [pending]').map(({ turn }) => turn)).toEqual([3, 2]);
});
