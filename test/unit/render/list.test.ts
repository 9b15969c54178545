import { expect, test } from 'vitest';
import { SESSION_STATUSES, type SessionSummary } from '../../../src/core/session.ts';
import { renderList } from '../../../src/render/list.ts';
import { renderRow } from '../../../src/render/row.ts';
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
        ...{ task, status, turn: i * 100, needs_attention: true },
        name: i % 2 ? `a-rather-long-name-${k}` : null,
        token_usage: { ...usage, total_tokens: 10 ** i + 1 },
      }),
    ),
  );
}

/** The lines of a list without colours, its head first. */
async function listed(
  shown: readonly SessionSummary[],
  columns: number,
  branches?: readonly string[],
): Promise<readonly string[]> {
  return plain(await renderList(shown, styleOf(columns), branches))
    .trimEnd()
    .split('\n');
}

test.each([40, 41, 60, 80, 132, 200])('on %d columns each row is one line that fits', async (columns) => {
  for (const colour of [false, true]) {
    const text = await renderList(rows(), styleOf(columns, colour));
    const [head = '', ...lines] = plain(text).trimEnd().split('\n');
    for (const line of [head, ...lines]) expect(columnsOf(line), line).toBeLessThanOrEqual(columns);
    expect(plain(text)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    expect(lines).toHaveLength(rows().length);
    // The id and the status are always whole, and the columns line up.
    for (const [i, line] of lines.entries()) {
      expect(line.startsWith('abcdefghjk  ')).toBe(true);
      const status = SESSION_STATUSES[i % SESSION_STATUSES.length] ?? '';
      expect(line.slice(head.indexOf('STATUS')).startsWith(`${status} •`)).toBe(true);
    }
  }
});

test('a list with names, branches, callers and marks, as wide as it takes and narrower', async () => {
  const family = [
    summaryOf({ name: 'docs', needs_attention: true, task: 'x'.repeat(200) }),
    summaryOf({ source: 'orchestrator:ab12345678', needs_attention: false }),
    summaryOf({ source: 'mcp:a-client-of-a-very-long-name', name: '漢字' }),
    summaryOf({ source: 'mcp:\x1b[2J', project: '/elsewhere', name: 'x'.repeat(1000) }),
    summaryOf({ source: null, status: 'damaged', task: null, turn: null, updated_at: null }),
  ];
  const shown = async (columns: number) => (await listed(family, columns, ['', '├─ ', '│  └─ '])).join('\n');
  expect(await shown(150)).toMatchInlineSnapshot(`
    "ID                NAME                                       STATUS       TURN  AGO  TOKENS  FROM              PROJECT     TASK
    abcdefghjk        docs                                       completed •  1     5m           you               /w          xxxxxxxxxxxxxxxxxxxxxxxxxx…
    ├─ abcdefghjk                                                completed    1     5m           orch:ab12         /w          say hello
    │  └─ abcdefghjk  ??                                         completed    1     5m           mcp:a-client-of-  /w          say hello
    abcdefghjk        xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx  completed    1     5m           mcp:?[2J          /elsewhere  say hello
    abcdefghjk                                                   damaged                                           /w"
  `);
  expect(await shown(40)).toMatchInlineSnapshot(`
    "ID                STATUS       TASK
    abcdefghjk        completed •  xxxxxxxx…
    ├─ abcdefghjk     completed    say hello
    │  └─ abcdefghjk  completed    say hello
    abcdefghjk        completed    say hello
    abcdefghjk        damaged"
  `);
});

test('what is less needed is left out first when the task would have no room', async () => {
  const project = summaryOf({ project: '/elsewhere', name: 'docs', source: 'mcp:x', task: 'x'.repeat(200) });
  const heads: string[] = [];
  for (let columns = 120; columns >= 40; columns -= 1) {
    const [head = ''] = await listed([summaryOf(), project], columns);
    if (head.replace(/ +/g, ' ') !== heads.at(-1)) heads.push(head.replace(/ +/g, ' '));
  }
  expect(heads.join('\n')).toMatchInlineSnapshot(`
    "ID NAME STATUS TURN AGO TOKENS FROM PROJECT TASK
    ID NAME STATUS TURN AGO TOKENS PROJECT TASK
    ID NAME STATUS TURN AGO PROJECT TASK
    ID NAME STATUS AGO PROJECT TASK
    ID STATUS AGO PROJECT TASK
    ID STATUS PROJECT TASK
    ID STATUS TASK"
  `);
});

test('a damaged session tells why in the place of its task, and an empty list has its head', async () => {
  const error = { code: 'damaged', message: 'it is missing', hint: null, retryable: false, retry_at: null };
  const lines = await listed([summaryOf({ status: 'damaged', task: null, turn: null, error })], 80);
  expect(lines[1]).toMatch(/^abcdefghjk {2}damaged .* it is missing$/);
  expect(await renderList([], styleOf(80))).toMatch(/^ID +STATUS +TURN +AGO +TOKENS +TASK\n$/);
});

test('a table counts the columns of wide characters', () => {
  const columns = [
    { head: 'A', cells: ['漢字', 'ab'] },
    { head: 'B', cells: ['1', '2'] },
  ];
  expect(renderTable(columns, styleOf(40))).toBe('A     B\n漢字  1\nab    2\n');
});

test('in a pipe a row has six fields, whatever the task holds, and nothing is cut', () => {
  const lines = rows().map((row) => renderRow(row));
  for (const line of lines) expect(line.split(/\t|\n/)).toHaveLength(7);
  expect(lines.join('')).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  expect(renderRow(summaryOf({ task: TASKS[2] ?? '' }))).toContain(TASKS[2]);
  expect(renderRow(summaryOf({ task: 'a\tb\nc' }))).toBe(
    'abcdefghjk\tcompleted\t1\tcodex\t2026-11-20T10:00:05.000Z\ta b c\n',
  );
  const unknown = summaryOf({ turn: null, agent: null, updated_at: null, task: null, status: 'damaged' });
  expect(renderRow(unknown)).toBe('abcdefghjk\tdamaged\t\t\t\t\n');
  // What a damaged or edited record holds in the other fields breaks no row either.
  const edited = summaryOf({ agent: 'co\tdex\n\x1b[2J', updated_at: 'to\tday' });
  expect(renderRow(edited)).toBe('abcdefghjk\tcompleted\t1\tco dex \\x1b[2J\tto day\tsay hello\n');
});
