import { describe, expect, test } from 'vitest';
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
  '😀🚀🔥'.repeat(50),
  'ünïcödé '.repeat(20),
  'e\u0301'.repeat(100),
  `many${'\u0301'.repeat(5000)} marks`,
  `${'👩\u200d'.repeat(300)}👩 joined`,
  ' '.repeat(100_000),
  'tabs\tand\nnewlines\r\nand\x1b[31mcolours\x1b]52;c;eA==\x07',
  '',
];

function rows(): SessionSummary[] {
  return TASKS.flatMap((task, i) =>
    SESSION_STATUSES.map((status, k) =>
      summaryOf({
        task,
        status,
        turn: i * 100,
        needs_attention: true,
        name: i % 2 ? `a-rather-long-name-${k}` : null,
        token_usage: {
          input_tokens: 10 ** i,
          cached_input_tokens: 0,
          output_tokens: 1,
          reasoning_output_tokens: null,
          total_tokens: 10 ** i + 1,
        },
      }),
    ),
  );
}

describe('on a terminal', () => {
  test.each([40, 41, 60, 80, 132])('of %d columns no line is wider than it', async (columns) => {
    for (const colour of [false, true]) {
      const text = await renderList(rows(), styleOf(columns, colour));
      const wide = text.split('\n').filter((line) => columnsOf(line) > columns);
      expect(wide.map((line) => [columnsOf(line), plain(line)])).toEqual([]);
      // A row is one line: the head, the rows, and the newline at the end.
      expect(text.split('\n')).toHaveLength(rows().length + 2);
    }
  });

  test('the id and the status are always whole, and the columns line up', async () => {
    for (const columns of [40, 80, 200]) {
      const [head = '', ...lines] = plain(await renderList(rows(), styleOf(columns)))
        .trimEnd()
        .split('\n');
      for (const [i, line] of lines.entries()) {
        expect(line.startsWith('abcdefghjk  ')).toBe(true);
        const status = SESSION_STATUSES[i % SESSION_STATUSES.length] ?? '';
        expect(line.slice(head.indexOf('STATUS')).startsWith(status)).toBe(true);
      }
    }
  });

  test('what is less needed is left out first when the task would have no room', async () => {
    const heads = async (columns: number): Promise<string[]> =>
      plain(await renderList(rows().slice(0, 20), styleOf(columns)))
        .split('\n', 1)[0]
        ?.split(/ +/) ?? [];
    expect(await heads(120)).toEqual(['ID', 'NAME', 'STATUS', 'TURN', 'AGO', 'TOKENS', 'TASK']);
    expect(await heads(40)).toEqual(['ID', 'STATUS', 'TASK']);
    const narrower = await Promise.all([120, 80, 70, 60, 50, 45, 40].map(heads));
    for (const [i, columns] of narrower.entries()) {
      expect(columns.every((name) => (narrower[i - 1] ?? columns).includes(name))).toBe(true);
      expect(columns.at(-1)).toBe('TASK');
    }
  });

  test('who started a session is told where it was not always the user, and first left out', async () => {
    const from = ['user', 'orchestrator:ab12345678', 'mcp:a-client-of-a-very-long-name', 'mcp:\x1b[2J', null];
    const mixed = from.map((source) => summaryOf({ source }));
    const text = await renderList(mixed, styleOf(120));
    const [head = '', ...lines] = text.trimEnd().split('\n');
    const cells = lines.map((line) => line.slice(head.indexOf('FROM'), head.indexOf('TASK')).trim());
    expect(cells).toEqual(['you', 'orch:ab12', 'mcp:a-client-of-', 'mcp:?[2J', '']);
    expect(await renderList(mixed, styleOf(60))).not.toContain('FROM');
    expect(await renderList([summaryOf(), summaryOf({ source: null })], styleOf(120))).not.toContain('FROM');
  });

  test('a mark of what was not seen, and branches of a tree, keep the columns in line', async () => {
    const marked = [true, false, null].map((needs_attention) => summaryOf({ needs_attention }));
    for (const columns of [40, 80, 200]) {
      const text = await renderList(marked, styleOf(columns), ['', '├─ ', '│  └─ ']);
      const [head = '', ...lines] = plain(text).trimEnd().split('\n');
      const at = (name: string): string[] => lines.map((line) => line.slice(head.indexOf(name)));
      expect(lines.map((line) => line.split('completed')[0]?.trimEnd())).toEqual([
        'abcdefghjk',
        '├─ abcdefghjk',
        '│  └─ abcdefghjk',
      ]);
      expect(at('STATUS').map((rest) => rest.slice(0, 12))).toEqual([
        'completed • ',
        'completed   ',
        'completed   ',
      ]);
      for (const rest of at('TASK')) expect(rest).toMatch(/^say/);
    }
  });

  test('a planted name that zwarm never gave moves no column', async () => {
    const names = ['漢字', '👩\u200d👩', '\x1b[2J', 'x'.repeat(1_000_000), 'e\u0301', 'docs'];
    const text = await renderList(
      names.map((name) => summaryOf({ name })),
      styleOf(140),
    );
    const [head = '', ...lines] = text.trimEnd().split('\n');
    for (const line of lines) expect(line.slice(head.indexOf('STATUS'))).toMatch(/^completed {2}1/);
    expect(text).toContain('  ??  ');
  });

  test('an ellipsis tells that a task was cut, and a short one is whole', async () => {
    const text = await renderList([summaryOf({ task: 'x'.repeat(200) }), summaryOf()], styleOf(60));
    const [, cut = '', whole = ''] = text.split('\n');
    expect(cut).toMatch(/x…$/);
    expect(whole).toMatch(/ 5m +say hello$/);
  });

  test('no text of an agent reaches the terminal as a command', async () => {
    const text = await renderList(rows(), styleOf(200));
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  test('a session that is damaged tells why in the place of its task', async () => {
    const error = {
      code: 'damaged',
      message: 'session.json is missing',
      hint: null,
      retryable: false,
      retry_at: null,
    };
    const row = summaryOf({ status: 'damaged', task: null, turn: null, updated_at: null, error });
    expect(await renderList([row], styleOf(80))).toContain('session.json is missing');
  });

  test('an empty list still has its head', async () => {
    expect(await renderList([], styleOf(80))).toMatch(/^ID +STATUS +TURN +AGO +TOKENS +TASK\n$/);
  });
});

test('a table counts the columns of wide characters', () => {
  const columns = [
    { head: 'A', cells: ['漢字', 'ab'] },
    { head: 'B', cells: ['1', '2'] },
  ];
  expect(renderTable(columns, styleOf(40))).toBe('A     B\n漢字  1\nab    2\n');
});

describe('in a pipe', () => {
  test('a row has six fields, whatever the task holds, and nothing is cut', () => {
    const lines = rows()
      .map((row) => renderRow(row))
      .join('')
      .slice(0, -1)
      .split('\n');
    expect(lines).toHaveLength(rows().length);
    for (const line of lines) expect(line.split('\t')).toHaveLength(6);
    expect(lines.join('\n')).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    expect(renderRow(summaryOf({ task: TASKS[2] ?? '' }))).toContain(TASKS[2]);
  });

  test('the fields are id, status, turn, agent, time and task', () => {
    expect(renderRow(summaryOf({ task: 'a\tb\nc' }))).toBe(
      'abcdefghjk\tcompleted\t1\tcodex\t2026-11-20T10:00:05.000Z\ta b c\n',
    );
    const unknown = summaryOf({ turn: null, agent: null, updated_at: null, task: null, status: 'damaged' });
    expect(renderRow(unknown)).toBe('abcdefghjk\tdamaged\t\t\t\t\n');
    // What a damaged or edited record holds in the other fields breaks no row either.
    const edited = summaryOf({ agent: 'co\tdex\n\x1b[2J', updated_at: 'to\tday' });
    expect(renderRow(edited)).toBe('abcdefghjk\tcompleted\t1\tco dex \\x1b[2J\tto day\tsay hello\n');
  });
});
