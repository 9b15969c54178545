import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import type { SessionError, SessionSummary } from '../../../src/core/session.ts';
import { SESSION_STATUSES } from '../../../src/core/status.ts';
import { type ListView, renderList } from '../../../src/render/list.ts';
import { renderAllGone, renderRow } from '../../../src/render/row.ts';
import { createStyle, type Style } from '../../../src/render/style.ts';
import { renderTable } from '../../../src/render/table.ts';
import { columnsOf, plain } from '../../helpers/display.ts';
import { summaryOf } from '../../helpers/views.ts';

const NOW = Date.parse('2026-11-20T10:05:05.000Z');
const styleOf = (columns: number, colour = false): Style =>
  createStyle(colour ? { FORCE_COLOR: '1' } : {}, { isTTY: false, columns }, NOW);

const TASKS = [
  'short',
  'a task that is much longer than any terminal is wide, so that it has to be cut somewhere near the end of the line',
  '漢字の仕事'.repeat(40),
  `${'x'.repeat(11)}漢${'字'.repeat(60)}`,
  `many${'\u0301'.repeat(5000)} marks`,
  `${'👩\u200d'.repeat(300)}👩 joined`,
  ' '.repeat(100_000),
  'tabs\tand\nnewlines\r\nand\x1b[31mcolours\x1b]52;c;eA==\x07',
  '',
];

function rows(): SessionSummary[] {
  const usage = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 1, reasoning_output_tokens: null };
  return TASKS.flatMap((task, i) =>
    SESSION_STATUSES.map((status, k) =>
      summaryOf({
        ...{ task, last_prompt: task, current_step: status === 'running' ? task : null },
        ...{ status, turn: i * 100, needs_attention: true },
        name: i % 2 ? `a-rather-long-name-${k}` : null,
        token_usage: { ...usage, at_least: false, total_tokens: 10 ** i + 1 },
      }),
    ),
  );
}

const VIEW: ListView = { tree: false, everywhere: false, time: false, home: '/home/u' };

/** A list without colours; of `more` sessions there are than are shown. */
function listed(
  shown: readonly SessionSummary[],
  columns: number,
  view: Partial<ListView> = {},
  more = 0,
): string {
  const running = shown.filter(({ status }) => status === 'running').length;
  const listing = { rows: shown, matching: shown.length + more, running };
  return plain(renderList(listing, { ...VIEW, ...view }, styleOf(columns)));
}

test.each([30, 40, 41, 60, 80, 132, 200])('on %d columns each row is one line that fits', (columns) => {
  const shown = rows();
  for (const colour of [false, true]) {
    const listing = { rows: shown, matching: 100, running: 9 };
    const text = renderList(listing, VIEW, styleOf(columns, colour));
    const [head = '', ...lines] = plain(text).trimEnd().split('\n');
    for (const line of [head, ...lines]) expect(columnsOf(line), line).toBeLessThanOrEqual(columns);
    expect(plain(text)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    // The id and the status are always whole, and the columns line up.
    for (const [i, line] of lines.slice(0, shown.length).entries()) {
      expect(line.startsWith('abcdefghjk  ')).toBe(true);
      const status = SESSION_STATUSES[i % SESSION_STATUSES.length] ?? '';
      expect(line.slice(head.indexOf('STATUS')).startsWith(`${status} •`)).toBe(true);
    }
  }
});

const UNTIL = new Date(2026, 10, 20, 3, 2).toISOString();

const since = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

function failed(code: string, more: Partial<SessionError> = {}): Partial<SessionSummary> {
  const error = { code, message: '', hint: null, retryable: false, retry_at: null, ...more };
  return { status: 'failed', error };
}

/** Sessions of a day, in all statuses. */
const DAY = [
  summaryOf({
    ...{ status: 'running', name: 'total', turn: 2, turn_started_at: since(185), updated_at: since(3) },
    ...{ current_step: '$ npm test', last_prompt: 'also mention CRLF line endings' },
  }),
  summaryOf({
    ...{ status: 'running', turn_started_at: since(42), last_prompt: 'Fix the 漢字 parser' },
    current_step: '**Reading 漢字** and 👩\u200d👩 before I change anything in the parser',
  }),
  summaryOf({ status: 'pending', updated_at: since(1) }),
  summaryOf({
    ...failed('usage_limit', { retry_at: UNTIL }),
    ...{ updated_at: since(7300), needs_attention: true, last_prompt: 'Write the docs of the parser' },
  }),
  summaryOf({ ...failed('exit_code'), exit_code: 1, source: 'orchestrator:ab12345678' }),
  summaryOf({ name: 'a-name-that-is-longer-than-others', last_prompt: 'x'.repeat(200), turn: 11 }),
  summaryOf({
    forked_from: { id: 'cdefghjkmn', turn: 1 },
    last_prompt: 'the other way',
    source: 'mcp:\x1b[2J',
  }),
  summaryOf({ status: 'killed' }),
  summaryOf({ ...failed('lost'), status: 'lost' }),
  summaryOf({
    ...failed('damaged', { message: 'its records cannot be read' }),
    ...{ status: 'damaged', task: null, last_prompt: null, turn: null, updated_at: null, source: null },
  }),
];

test('what runs tells what it is doing, what failed tells why, as far as there is room for it', () => {
  expect(listed(DAY, 140)).toMatchInlineSnapshot(`
    "ID          NAME              STATUS        AGO  NOW                       TURN  TOKENS  FROM       TASK
    abcdefghjk  total             running    3m 05s  $ npm test                   2          you        also mention CRLF line endings
    abcdefghjk                    running       42s  Reading 漢字 and 👩👩 b…     1          you        Fix the 漢字 parser
    abcdefghjk                    pending        1s                               1          you        say hello
    abcdefghjk                    failed •       2h  usage limit until 03:02      1          you        Write the docs of the parser
    abcdefghjk                    failed         5m  exit 1                       1          orch:ab12  say hello
    abcdefghjk  a-name-that-is-…  completed      5m  hello                       11          you        xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
    abcdefghjk                    completed      5m  hello                        1          mcp:?[2J   fork of cdef: say hello · the other way
    abcdefghjk                    killed         5m                               1          you        say hello
    abcdefghjk                    lost           5m                               1          you        say hello
    abcdefghjk                    damaged                                                               its records cannot be read
    • ended since you last looked
    "
  `);
  expect(listed(DAY, 80, {}, 24)).toMatchInlineSnapshot(`
    "ID          NAME              STATUS        AGO  TASK
    abcdefghjk  total             running    3m 05s  $ npm test · also mention CRLF…
    abcdefghjk                    running       42s  Reading 漢字 and 👩‍👩 b… · Fix…
    abcdefghjk                    pending        1s  say hello
    abcdefghjk                    failed •       2h  usage limit until 03:02 · Writ…
    abcdefghjk                    failed         5m  exit 1 · say hello
    abcdefghjk  a-name-that-is-…  completed      5m  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
    abcdefghjk                    completed      5m  fork of cdef: say hello · the…
    abcdefghjk                    killed         5m  say hello
    abcdefghjk                    lost           5m  say hello
    abcdefghjk                    damaged            its records cannot be read
    10 of 34, 2 running · --all shows all
    • ended since you last looked
    "
  `);
  expect(listed(DAY, 40)).toMatchInlineSnapshot(`
    "ID          STATUS     TASK
    abcdefghjk  running    3m · $ npm test…
    abcdefghjk  running    42s · Reading 漢…
    abcdefghjk  pending    say hello
    abcdefghjk  failed •   usage limit unti…
    abcdefghjk  failed     exit 1 · say hel…
    abcdefghjk  completed  xxxxxxxxxxxxxxxx…
    abcdefghjk  completed  fork of cdef: sa…
    abcdefghjk  killed     say hello
    abcdefghjk  lost       say hello
    abcdefghjk  damaged    its records cann…
    • ended since you last looked
    "
  `);
  expect(listed(DAY, 30, {}, 24)).toMatchInlineSnapshot(`
    "ID          STATUS     AGO
    abcdefghjk  running    3m
    abcdefghjk  running    42s
    abcdefghjk  pending    1s
    abcdefghjk  failed •   2h
    abcdefghjk  failed     5m
    abcdefghjk  completed  5m
    abcdefghjk  completed  5m
    abcdefghjk  killed     5m
    abcdefghjk  lost       5m
    abcdefghjk  damaged
    10 of 34, 2 running
    --all shows all
    • ended since you last looked
    "
  `);
});

test('what is less needed is left out first when the task would have no room', () => {
  const heads: string[] = [];
  for (let columns = 200; columns >= 30; columns -= 1) {
    const [head = ''] = listed(DAY, columns, { everywhere: true }).split('\n');
    const words = head.replace(/ +/g, ' ');
    if (words !== heads.at(-1)) heads.push(words);
  }
  expect(heads.join('\n')).toMatchInlineSnapshot(`
    "ID NAME STATUS AGO NOW TURN TOKENS FROM PROJECT TASK
    ID NAME STATUS AGO NOW TURN TOKENS PROJECT TASK
    ID NAME STATUS AGO NOW TURN PROJECT TASK
    ID NAME STATUS AGO NOW PROJECT TASK
    ID NAME STATUS AGO PROJECT TASK
    ID STATUS AGO PROJECT TASK
    ID STATUS PROJECT TASK
    ID STATUS TASK
    ID STATUS AGO"
  `);
});

test('a family is drawn as a tree, as deep as it fits', () => {
  const kin = (id: string, parent: string | null) => summaryOf({ id: id as SessionId, parent });
  const family = [kin('a222222222', 'a333333333'), kin('a333333333', 'a444444444'), kin('a444444444', null)];
  expect(listed(family, 60, { tree: true })).toMatchInlineSnapshot(`
    "ID                STATUS     AGO  NOW    TURN  TASK
    a444444444        completed   5m  hello     1  say hello
    └─ a333333333     completed   5m  hello     1  say hello
       └─ a222222222  completed   5m  hello     1  say hello
    "
  `);
  expect(listed(family, 27, { tree: true })).toMatchInlineSnapshot(`
    "ID              STATUS
    a444444444      completed
    └─ a333333333   completed
     └─ a222222222  completed
    "
  `);
});

test('projects are told by as much of their paths as they need, times as the clock here tells them', () => {
  const projects = ['/home/u/zwarm', '/home/u/work/app', '/home/u/app', '/srv/app', '/home/u', '/'];
  const updated_at = new Date(2026, 10, 20, 9, 5).toISOString();
  const shown = projects.map((project) => summaryOf({ project, updated_at }));
  expect(listed(shown, 80, { everywhere: true, time: true })).toMatchInlineSnapshot(`
    "ID          STATUS                 TIME  NOW    TURN  PROJECT   TASK
    abcdefghjk  completed  2026-11-20 09:05  hello     1  zwarm     say hello
    abcdefghjk  completed  2026-11-20 09:05  hello     1  work/app  say hello
    abcdefghjk  completed  2026-11-20 09:05  hello     1  ~/app     say hello
    abcdefghjk  completed  2026-11-20 09:05  hello     1  srv/app   say hello
    abcdefghjk  completed  2026-11-20 09:05  hello     1  ~         say hello
    abcdefghjk  completed  2026-11-20 09:05  hello     1  /         say hello
    "
  `);
});

test('a table counts the columns of wide characters', () => {
  const columns = [
    { head: 'A', cells: ['漢字', 'ab'] },
    { head: 'B', cells: ['1', '2'] },
  ];
  expect(renderTable(columns, styleOf(40))).toBe('A     B\n漢字  1\nab    2\n');
  expect(listed([], 80)).toMatch(/^ID +STATUS +AGO +TURN +TOKENS +TASK\n$/);
});

test('in a pipe a row has six fields, whatever the task holds, and nothing is cut', () => {
  const lines = rows().map((row) => renderRow(row));
  for (const line of lines) expect(line.split(/\t|\n/)).toHaveLength(7);
  expect(lines.join('')).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  expect(renderRow(summaryOf({ last_prompt: TASKS[2] ?? '' }))).toContain(TASKS[2]);
  expect(renderRow(summaryOf({ last_prompt: 'a\tb\nc' }))).toBe(
    'abcdefghjk\tcompleted\t1\tcodex\t2026-11-20T10:00:05.000Z\ta b c\n',
  );
  const none = { turn: null, last_prompt: null };
  expect(renderRow(summaryOf({ ...none, status: 'killed', task: 'taken back' }))).toContain('taken back\n');
  expect(renderRow(summaryOf({ ...none, status: 'ready', task: 'rewound' }))).not.toContain('rewound');
  const unknown = summaryOf({ ...none, agent: null, updated_at: null, task: null, status: 'damaged' });
  expect(renderRow(unknown)).toBe('abcdefghjk\tdamaged\t\t\t\t\n');
  // What a damaged or edited record holds in the other fields breaks no row either.
  const edited = summaryOf({ agent: 'co\tdex\n\x1b[2J', updated_at: 'to\tday' });
  expect(renderRow(edited)).toBe('abcdefghjk\tcompleted\t1\tco dex \\x1b[2J\tto day\tsay hello\n');
});

test('projects that are gone are told on one line', () => {
  const day = 86_400_000;
  const one = { project: '/srv/a', sessions: 1, bytes: 3000, lastMs: 0 };
  expect(renderAllGone([one], 2 * day)).toBe('/srv/a is gone: 1 session, 3.0 kB, last used 2d ago');
  const six = 'abcdef'.split('').map((name) => ({ ...one, project: `/srv/${name}`, sessions: 2 }));
  expect(renderAllGone(six, day)).toBe(
    '6 projects are gone: /srv/a, /srv/b, /srv/c, /srv/d, /srv/e and 1 more; 12 sessions, 18.0 kB',
  );
});
