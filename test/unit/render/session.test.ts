import { expect, test } from 'vitest';
import type { ChangedFiles } from '../../../src/core/conversation/session-reader.ts';
import type { Step } from '../../../src/core/conversation/steps.ts';
import type { SessionSummary, TurnView } from '../../../src/core/session.ts';
import { errorLines } from '../../../src/render/error-lines.ts';
import { renderMarkdown } from '../../../src/render/markdown/markdown.ts';
import { renderSession } from '../../../src/render/session.ts';
import { createStyle } from '../../../src/render/style.ts';
import { localTime } from '../../../src/render/text/units.ts';
import { columnsOf, plain } from '../../helpers/display.ts';
import { readerOf, sessionOf, turnOf } from '../../helpers/views.ts';

const PIPE = Number.POSITIVE_INFINITY;

/** How a session stands, and its turns. */
type Shown = Partial<SessionSummary> & {
  readonly turns?: readonly TurnView[];
  readonly changed?: ChangedFiles;
};

/** A page as it is on a pipe, or with `columns` on a terminal; the steps are those of turn 1. */
function page(
  { turns = [turnOf()], changed, ...summary }: Shown,
  steps: readonly Step[] = [],
  {
    columns = PIPE,
    full = false,
    time = false,
    bytes = 0,
    env = { NO_COLOR: '1' } as Record<string, string>,
  } = {},
): string {
  const style = createStyle(env, { isTTY: true, columns }, Date.parse('2026-11-20T10:03:09.000Z'));
  const directory = summary.working_dir ?? undefined;
  const readers = turns.map((view) =>
    readerOf(view, { steps: view.turn === 1 ? steps : [], directory, bytes }),
  );
  const markdown = columns === PIPE ? {} : { markdown: renderMarkdown };
  const session = { ...sessionOf(summary, readers), changed: changed ?? null };
  return [...renderSession(session, { ...style, ...markdown }, { full, time })].join('');
}

const item = (text: string, completed = false) => ({ text, completed });
const say = (content: string): Step => ({ type: 'message', role: 'assistant', content });

const SHOP: Shown = {
  name: 'total',
  model: 'gpt-5.5',
  task: 'The total is wrong when an item is bought twice: fix it',
  project: '/home/ann/shop',
  working_dir: '/home/ann/shop',
  log_file: '/home/ann/shop/.zwarm/events.jsonl',
  token_usage: {
    ...{ input_tokens: 1200, cached_input_tokens: 1000, total_tokens: 1230 },
    ...{ output_tokens: 30, reasoning_output_tokens: 0, at_least: false },
  },
  turns: [
    turnOf({
      prompt: 'The total is wrong when an item is bought twice: fix it\n\nWith a test.\n',
      started_at: '2026-11-20T10:00:00.000Z',
      duration_ms: 5000,
    }),
  ],
};

const WORK: readonly Step[] = [
  { type: 'reasoning', content: 'Where is\nthe total?' },
  {
    ...{ type: 'command', exit_code: 1, status: 'failed' },
    command: "/bin/bash -lc 'npm test -- --reporter=verbose test/cart.test.js'",
    output: '1\na line of output that is rather long indeed\n',
  },
  { type: 'command', command: 'git status', output: '', exit_code: 0, status: 'completed' },
  { type: 'command', command: 'sleep 9', output: null, exit_code: null, status: 'interrupted' },
  say('The **loop** is wrong.'),
  { type: 'plan', items: [item('read the files', true), item('fix the loop that goes over all the items')] },
  {
    type: 'file_change',
    changes: [
      { path: '/home/ann/shop/cart.js', kind: 'update' },
      { path: '/home/ann/shop/test/cart.test.js', kind: 'add' },
      { path: '/home/ann/shopping', kind: 'delete' },
    ],
    status: 'completed',
  },
  {
    ...{ type: 'tool_call', name: 'docs.search', args: { query: 'the price of an item' } },
    ...{ result: 'none', status: 'completed' },
  },
  { type: 'warning', message: 'the model is unknown' },
  say('# Done\n\nIt is `right` now, and it will be right when you buy an item twice.'),
];

test('the card, then the conversation in its order, on 80 columns', () => {
  expect(
    page(SHOP, WORK, { columns: 80 }),
  ).toBe(`total · completed · 1 turn · 5.0s · 3m ago · 1,230 tokens · abcdefghjk
  task       The total is wrong when an item is bought twice: fix it
  agent      codex gpt-5.5

── turn 1 · completed · 5.0s ${'─'.repeat(51)}

> The total is wrong when an item is bought twice: fix it
>
> With a test.

  $ npm test -- --reporter=verbose test/cart.test.js [exit 1]
    1
    a line of output that is rather long indeed

  $ git status [exit 0]
  $ sleep 9 [interrupted]

  The loop is wrong.

  ✓ read the files
  ☐ fix the loop that goes over all the items

  update cart.js
  add    test/cart.test.js
  delete /home/ann/shopping

  docs.search {"query":"the price of an item"}
  ! the model is unknown

  # Done

  It is \`right\` now, and it will be right when you buy an item twice.

  changed    3 files: cart.js, test/cart.test.js, /home/ann/shopping
`);
});

test('on 40 columns what is long goes on behind its label or is cut, and nothing else changes', () => {
  const wide = page(SHOP, WORK, { columns: 80 }).split('\n');
  const lines = page(SHOP, WORK, { columns: 40 }).split('\n');
  expect(lines.filter((line) => !wide.includes(line)).join('\n')).toBe(`\
total · completed · 1 turn · 5.0s · 3m
  ago · 1,230 tokens · abcdefghjk
  task       The total is wrong when an…
── turn 1 · completed · 5.0s ${'─'.repeat(11)}
> The total is wrong when an item is
> bought twice: fix it
  $ npm test -- --reporter=ver… [exit 1]
    a line of output that is rather lon…
  ☐ fix the loop that goes over all the
    items
  docs.search {"query":"the price of an…
  It is \`right\` now, and it will be
  right when you buy an item twice.
  changed    3 files: cart.js,
             test/cart.test.js,
             /home/ann/shopping`);
});

test('in full the card has the thread, the paths and the times; other than usual ones it always has', () => {
  const more = {
    ...SHOP,
    thread_id: '01a1',
    sandbox: 'read-only',
    work_in: 'docs',
    project: '/home/ann',
  } as const;
  const card = (shown: Shown, full: boolean) => page(shown, [], { full }).split('\n\n')[0];
  expect(card(more, false)).toBe(`total · completed · 1 turn · 5.0s · 3m ago · 1,230 tokens · abcdefghjk
  task       The total is wrong when an item is bought twice: fix it
  agent      codex gpt-5.5 · read-only
  directory  /home/ann/shop
  work in    docs`);
  expect(card({ ...SHOP, unconfined: true }, false)).toContain(
    '\n  agent      codex gpt-5.5 · workspace-write · unconfined',
  );
  expect(card(SHOP, true)).toBe(`total · completed · 1 turn · 5.0s · 3m ago · 1,230 tokens · abcdefghjk
  task       The total is wrong when an item is bought twice: fix it
  agent      codex gpt-5.5 · workspace-write
  directory  /home/ann/shop
  tokens     1,200 in (1,000 cached), 30 out
  created    2026-11-20T10:00:00.000Z
  ended      2026-11-20T10:00:05.000Z
  log        /home/ann/shop/.zwarm/events.jsonl`);
});

test('what was changed stands in the card where a summary knows it, else at the end', () => {
  const changed = { count: 7, first: ['/home/ann/shop/a', `/elsewhere/${'very/'.repeat(9)}far/b`] };
  const known = page({ ...SHOP, changed }, WORK);
  expect(known).toContain('gpt-5.5\n  changed    7 files: a, …/b, 5 more\n\n── turn 1');
  expect(known.match(/changed /g)).toHaveLength(1);
  expect(page({ ...SHOP, changed: { count: 0, first: [] } })).not.toContain('changed ');
});

test('the beginning of the answer stands in the card of a long page, whose end is far from it', () => {
  const answer = '# Done\n\nThe **loop** is\nright now.\n\n- one\n- two\n';
  const [columns, bytes] = [80, 100_000];
  const long = (more: Shown) => page({ ...SHOP, last_message: answer, ...more }, WORK, { columns, bytes });
  expect(long({})).toContain(`
  agent      codex gpt-5.5
  answer     # Done
             The loop is
             right now.
             … all of it: zwarm answer abcdefghjk

── turn 1 `);
  expect(long({ last_message: 'All\n\nis well.' })).toContain(
    '  answer     All\n             is well.\n\n── turn 1',
  );
  const piped = page({ ...SHOP, last_message: `a\x1b${'b'.repeat(3000)}` }, WORK, { bytes });
  expect(piped).toMatch(/ {2}answer {5}a\\x1bb{1997}…\n {13}… all of it: zwarm answer abcdefghjk\n/);
  // It is on the screen already, not there, or not on the page.
  const without = [
    page({ ...SHOP, last_message: answer }, WORK, { columns }),
    long({ last_message: null }),
    long({ status: 'running' }),
    long({ turn: 2 }),
  ];
  for (const shown of without) expect(shown).not.toContain('answer ');
});

test('a hint breaks no command that fits on a line, and does not name the page that it is on', () => {
  const failed = (hint: string) => ({ code: 'x', message: 'exit 3', hint, retryable: false, retry_at: null });
  const shown = (hint: string, options = {}) =>
    page({ turns: [turnOf({ status: 'failed', error: failed(hint) })] }, [], options).split(
      'error: exit 3\n',
    )[1];
  const see = 'see what it did: zwarm show abcdefghjk --full';
  expect(shown(`${see}; then: zwarm inject abcdefghjk "go on"`, { columns: 40 })).toBe(
    '  hint: see what it did:\n  zwarm show abcdefghjk --full; then:\n  zwarm inject abcdefghjk "go on"\n',
  );
  expect(shown('continue with: zwarm inject abcdefghjk "go on, please"', { columns: 30 })).toBe(
    '  hint: continue with:\n  zwarm inject abcdefghjk "go\n  on, please"\n',
  );
  expect(shown(see)).toBe(`  hint: ${see}\n`);
  expect(shown(see, { full: true })).toBe('');
  expect(shown(`${see}; then continue with: x`, { full: true })).toBe('  hint: continue with: x\n');
  expect(shown('its answer is kept; see: zwarm show abcdefghjk')).toBe('  hint: its answer is kept\n');
  expect(shown('do x; see: zwarm show abcdefghjk; then: y')).toBe('  hint: do x; y\n');
  expect(shown('see what it did: zwarm show abcdefghjk; then: zwarm x')).toBe('  hint: zwarm x\n');
});

test('absolute times are those of the place where the user is', () => {
  const at = (iso: string) => localTime(Date.parse(iso));
  expect(at('2026-11-20T10:00:05.000Z')).toMatch(/^2026-11-(19|2[01]) \d\d:\d\d$/);
  expect(page(SHOP, [], { time: true })).toContain(
    `· 5.0s · ${at('2026-11-20T10:00:05.000Z')} · 1,230 tokens · abcdefghjk\n`,
  );
  expect(page(SHOP, [], { time: true })).toContain(
    `── turn 1 · completed · 5.0s · ${at('2026-11-20T10:00:00.000Z')} ─`,
  );
  const running = { status: 'running', turn_started_at: '2026-11-20T09:00:00.000Z' } as const;
  expect(page(running)).toMatch(/^abcdefghjk · running · 1 turn · 5.0s\n/);
  expect(page(running, [], { time: true })).toContain(` · since ${at('2026-11-20T09:00:00.000Z')}\n`);
});

test('on 200 columns running text ends at 100, and nothing else is cut', () => {
  const prompt = 'word '.repeat(50).trim();
  const command = 'x'.repeat(150);
  const run: Step = { type: 'command', command, output: `${command}\n`, exit_code: 0, status: 'completed' };
  const text = page({ turns: [turnOf({ prompt })] }, [run, say(prompt)], { columns: 200 });
  const lines = text.slice(text.indexOf('──')).trimEnd().split('\n');
  expect(lines.map((line) => line.length)).toEqual([80, 0, 96, 96, 61, 0, 163, 154, 0, 101, 101, 51]);
});

test('in full: whole commands, outputs, thoughts and results, wrapped behind their indentation', () => {
  const text = page(SHOP, WORK, { columns: 40, full: true });
  const command = '  $ npm test --\n    --reporter=verbose\n    test/cart.test.js [exit 1]\n';
  expect(text).toContain(
    `\n  Where is\n  the total?\n\n${command}    1\n    a line of output that is rather long\n    indeed\n`,
  );
  expect(text).toContain('  docs.search {"query":"the price of an\n  item"}\n    none\n');
});

test('on a pipe the words of the agent are as it wrote them, however long', () => {
  const answer = `**Done**: ${'word '.repeat(50)}\n\n| a |\n|---|\n`;
  const text = page({ turns: [turnOf({ prompt: `do\tit ${'now '.repeat(50)}` })] }, [say(answer)]);
  expect(text).toContain(`\n> do\tit ${'now '.repeat(50).trim()}\n`);
  expect(text).toContain(`\n  **Done**: ${'word '.repeat(50)}\n\n  | a |\n  |---|\n`);
});

test('more than a few changed files are counted, and those that were declined are not', () => {
  const changes = Array.from({ length: 30 }, (_, i) => ({ path: `/w/${i}`, kind: 'add' as const }));
  const text = page({}, [{ type: 'file_change', changes, status: 'completed' }]);
  expect(text).toContain('  changed    30 files: 0, 1, 2, 3, 4, 25 more\n');
  expect(text).toContain('  add    19\n  … 10 more files; --full shows them\n');
  const declined = page({}, [{ type: 'file_change', changes, status: 'declined' }], { full: true });
  expect(declined).not.toContain('changed ');
  expect(declined).toContain('  add    29\n  [declined]\n');
});

test('why it waits, how many wait behind it, and where it comes from', () => {
  const pending = { reason: 'launching', detail: 'it is being launched', not_before: null } as const;
  const more = { queued: 2, tags: ['a', 'b'], parent: 'cccccccccc', cost_usd: 0.126 };
  const text = page({ status: 'pending', pending, ...more });
  expect(text).toContain('abcdefghjk · pending · 1 turn · 5.0s\n  it is being launched\n');
  for (const row of ['tags       a, b', 'queued     2', 'parent     cccccccccc', 'cost       $0.13'])
    expect(text).toContain(`\n  ${row}\n`);
});

test('a failure is told once, with what to do: at its turn, or in the card where that is not shown', () => {
  const error = { code: 'login_required', message: 'who?', hint: 'log in', retryable: false, retry_at: null };
  const turns = [turnOf({ status: 'failed', error })];
  const text = page({ status: 'failed', error, turns }, [{ type: 'error', message: 'who?' }]);
  expect(text.slice(-40)).toBe('> say hello\n\nerror: who?\n  hint: log in\n');
  expect(text.split('who?\n')).toHaveLength(2);
  const earlier = page({ status: 'failed', error, turn: 2, turns: [turnOf()] });
  expect(earlier).toContain('abcdefghjk · failed · 1 turn · 5.0s · 3m ago\n  who?\n  hint: log in\n  task ');
  expect(errorLines({ ...error, hint: null })).toEqual(['who?']);
});

const VIEWS = [40, 80, 200, PIPE].flatMap((columns) => [true, false].map((full) => [columns, full] as const));

/** Each kind of step, and all that a page shows of a session, with these words. */
function everywhere(words: string): readonly [Shown, readonly Step[]] {
  const error = { code: 'x', message: words, hint: words, retryable: false, retry_at: null };
  const steps: Step[] = [
    say(words),
    say(`\`\`\`\n${words}\n\`\`\``),
    { type: 'reasoning', content: words },
    { type: 'command', command: words, output: words, exit_code: 0, status: 'completed' },
    { type: 'file_change', changes: [{ path: words, kind: 'add' }], status: 'completed' },
    { type: 'tool_call', name: words, args: words, result: words, status: 'completed' },
    { type: 'plan', items: [{ text: words, completed: true }] },
    { type: 'warning', message: words },
    { type: 'error', message: words },
  ];
  // A name begins with a letter: `parseName` sees to it.
  const recorded = { name: `a${words}`, agent: words, model: words, working_dir: words, thread_id: words };
  const times = { created_at: words, ended_at: words, log_file: words };
  const turns = [turnOf({ prompt: words, warnings: [words], error })];
  return [{ ...recorded, ...times, error, turns }, steps];
}

test('an agent cannot pose as the page, by a line of its own or by one that goes on', () => {
  const posing = '── turn 9 · completed ──';
  for (const [columns, full] of VIEWS) {
    const fills = (columns === PIPE ? 80 : columns) - 2;
    // Just so long that a terminal would go on with the words at its first column.
    for (const before of ['\n', 'x'.repeat(fills), `${'x'.repeat(fills - 1)} `]) {
      const text = page(...everywhere(before + posing), { full, columns });
      expect(text.match(/^──.*/gm)).toHaveLength(1);
      if (columns === PIPE) continue;
      for (const line of text.split('\n')) expect.soft(columnsOf(line)).toBeLessThanOrEqual(columns);
    }
  }
});

test('whatever text a page shows, from the agent or from disk, it commands no terminal', () => {
  const shown = everywhere('\x1b]52;c;eA==\x07\x1b[2J\x9b31m\u202e\r');
  for (const [columns, full] of VIEWS) {
    const text = plain(page(...shown, { full, columns, env: {} }));
    expect(text).toMatch(/\\x1b]52;c;eA==\s*\\x07/);
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  }
});

test('a turn says how it came about, what it lacked, and each warning once', () => {
  expect(page({})).toContain('(it completed without an answer)');
  expect(page({}, [say('x')])).not.toContain('without an answer');
  expect(page({ turns: [turnOf({ status: 'running' })] })).not.toContain('without an answer');
  const turns = [turnOf({ warnings: ['a cut'] }), turnOf({ turn: 2, how: 'replay', warnings: ['another'] })];
  const text = page({ turns }, [{ type: 'warning', message: 'a cut' }]);
  expect(text).toContain('── turn 2 · completed · new thread, with a transcript ─');
  expect(text).toContain('\n! another\n');
  expect(text.match(/! a cut/g)).toHaveLength(1);
  // Nobody knows how long it took.
  expect(text).toContain('── turn 1 · completed ─');
});
