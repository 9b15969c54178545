import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { createProject } from '../helpers/project.ts';
import { storeOf } from '../helpers/store.ts';
import { type WrittenSession, type WrittenTurn, writeSession } from '../helpers/written.ts';

/*
 * What `ls` prints, whole, of sessions that are files with fixed times: nothing of this machine, its speed, its paths or the
 * terminal of whoever runs this is in it.
 */

const NOW = Date.parse('2026-11-20T10:05:05.000Z');
const ago = (seconds: number): number => NOW - seconds * 1000;

const BEGIN = [
  { type: 'thread.started', thread_id: '0199a213-81c0-7800-8aa1-bbab2a035a53' },
  { type: 'turn.started' },
];
const said = (text: string): object => ({
  type: 'item.completed',
  item: { id: 'item_1', type: 'agent_message', text },
});
const runs = (command: string): object => ({
  type: 'item.started',
  item: {
    id: 'item_2',
    type: 'command_execution',
    command,
    aggregated_output: '',
    exit_code: null,
    status: 'in_progress',
  },
});
const used = (input_tokens: number, output_tokens: number): object => ({
  type: 'turn.completed',
  usage: { input_tokens, cached_input_tokens: 0, output_tokens },
});

const running = (prompt: string, seconds: number, ...events: object[]): WrittenTurn => ({
  ...{ prompt, askedMs: ago(seconds), events: [...BEGIN, ...events], end: 'runs' },
});
const ended = (prompt: string, seconds: number, answer: string, tokens = 12_345): WrittenTurn => ({
  ...{ prompt, askedMs: ago(seconds + 40), events: [...BEGIN, said(answer), used(tokens, 321)] },
  end: { code: 0, ms: ago(seconds) },
});
const failed = (prompt: string, seconds: number, message: string): WrittenTurn => ({
  ...{ prompt, askedMs: ago(seconds + 12), events: [...BEGIN, { type: 'turn.failed', error: { message } }] },
  end: { code: 1, ms: ago(seconds) },
});

const LIMIT = 'You’ve hit your usage limit. Upgrade to Pro or try again at 3:02 PM.';

type Day = Readonly<Record<string, WrittenSession>>;

/** Eight that run, two that failed, a fork, what others started, and one that cannot be read. */
const DAY: Day = {
  runaaaaaaa: {
    name: 'total',
    turns: [running('Fix the rounding of the total', 130, runs("bash -lc 'npm test'"))],
  },
  runbbbbbbb: {
    turns: [
      running(
        'Look for TODOs in all files and say which of them are done',
        42,
        said('I read the 漢字 parser first.'),
      ),
    ],
  },
  runccccccc: {
    name: 'docs',
    record: { tags: ['nightly', 'docs'] },
    turns: [ended('Write the docs', 4000, 'They are written.'), running('go on', 65, runs('make docs'))],
  },
  runddddddd: {
    record: { source: 'orchestrator:runaaaaaaa', parent: 'runaaaaaaa' },
    turns: [running('Check the tests of the total', 61, runs('vitest run'))],
  },
  runeeeeeee: { record: { source: 'mcp:claude-code' }, turns: [running('Port the build to esbuild', 3725)] },
  runfffffff: {
    turns: [
      running(
        'Update the dependencies, one by one, and run all tests after each of them',
        7300,
        runs('npm update'),
      ),
    ],
  },
  runggggggg: {
    name: 'a-name-that-is-longer-than-others',
    turns: [running('Look for flaky tests', 5, runs('for i in 1 2 3; do npm test; done'))],
  },
  runhhhhhhh: { record: { tags: ['nightly'] }, turns: [running('Fix the 漢字 parser', 3)] },
  fdabcaaaaa: { turns: [failed('Write the docs of the parser', 600, LIMIT)] },
  fdbbbbbbbb: {
    name: 'cart',
    turns: [{ ...failed('Mend the cart', 7000, ''), events: BEGIN, end: { code: 3, ms: ago(7000) } }],
  },
  dnaaaaaaaa: {
    name: 'todos',
    turns: [
      ended('Which TODOs are left?', 300, 'One is left: the total ignores discounts.\n\nIt is in cart.ts.'),
    ],
  },
  dnbbbbbbbb: {
    record: { forked_from: { id: 'dnaaaaaaaa', turn: 1, history_bytes: null } },
    turns: [
      ended('Which TODOs are left?', 90_000, 'One is left.'),
      ended('the other way', 420, 'Done the other way.', 1_234_567),
    ],
  },
  gneaaaaaaa: { turns: [{ ...running('Rewrite it in Rust', 200_000), end: 'lost' }] },
  dmgaaaaaaa: { turns: [ended('x', 100, 'x')], damaged: true },
};

const SITE: Day = {
  strunaaaaa: { turns: [running('Write the page about prices', 20, runs('npm run build'))] },
};

/** Some of them, of which one works in a directory below. */
const FEW: Day = {
  ...Object.fromEntries(
    ['runccccccc', 'runddddddd', 'fdbbbbbbbb', 'dnaaaaaaaa'].map((id) => [id, DAY[id] as WrittenSession]),
  ),
  rnhaaaaaaa: { record: { work_in: 'src' }, turns: [running('Sort the imports', 50)] },
};

/** Projects of a user with these sessions, each in a directory of its home. */
async function createProjects(projects: Readonly<Record<string, Day>>) {
  const { base, state, env } = createProject();
  const home = join(base, 'home');
  for (const [name, sessions] of Object.entries(projects)) {
    mkdirSync(join(home, name), { recursive: true });
    const store = storeOf(state, join(home, name));
    for (const [id, session] of Object.entries(sessions)) await writeSession(store, id, session);
  }
  return {
    home,
    /** What a line prints in a directory, in a pipe or on a terminal of that width: each stream, and the exit code. */
    async typed(line: string, columns: number | null, cwd: string): Promise<string> {
      const terminal = columns === null ? {} : { tty: true, columns };
      const project = { env: { ...env, NO_COLOR: '1' }, directory: join(home, cwd) };
      const { code, stdout, stderr } = await onScreen(project, line.split(' '), { ...terminal, now: NOW });
      const marked = stderr.replace(/^(?=.)/gm, '2> ');
      return `$ zwarm ${line}\n${stdout}${marked}${code === 0 ? '' : `[exit ${code}]\n`}`.replaceAll(
        home,
        '~',
      );
    },
  };
}

const LINES = ['ls', 'ls -n 3', 'ls --cost --time', 'ls --tree', 'ls --everywhere --status running,failed'];

test('the list of a day on terminals of any width', async () => {
  const { typed } = await createProjects({ 'code/api': DAY, 'code/site': SITE });
  for (const columns of [30, 40, 80, 120, 200]) {
    const pages: string[] = [];
    for (const line of LINES) pages.push(await typed(line, columns, 'code/api'));
    await expect(pages.join('\n')).toMatchFileSnapshot(`screens/ls-${columns}.txt`);
  }
});

test('what is asked for of the list, on a terminal and in a pipe, and what is refused', async () => {
  const { typed, home } = await createProjects({ 'code/api': FEW, 'code/site': SITE });
  for (const place of ['code/api/src', 'code/none']) mkdirSync(join(home, place));
  const asked = [
    ...[
      '',
      ' --all',
      ' -q',
      ' --tree',
      ' --everywhere',
      ' --here',
      ' --tag docs',
      ' --grep discounts',
      ' --attention',
    ],
    ...[' --source orch', ' --since 10m', ' --sort created', ' --status killed', ' -q --status killed'],
  ];
  const pages: string[] = [];
  for (const columns of [80, null])
    for (const words of asked) pages.push(await typed(`ls${words}`, columns, 'code/api'));
  pages.push(await typed('ls --here', 80, 'code/api/src'), await typed('ls', 80, 'code/none'));
  pages.push(
    await typed('ls --json --status killed', null, 'code/api'),
    await typed('ls', null, 'code/none'),
  );
  // What is answered was seen.
  const answers = ['todos', '@failed', '@running', '--json todos', '--tag docs', 'none', '--tag none'];
  for (const words of answers) pages.push(await typed(`answer ${words}`, null, 'code/api'));
  pages.push(await typed('ls --attention', 80, 'code/api'));
  const refused = [
    ...[
      '-n 0',
      '-n x',
      '--status done',
      '--since soon',
      '--sort name',
      '--source nobody',
      '--tag Docs',
      '--color',
    ],
    ...['-w --json', '-w', 'fdab', '--limit'],
  ];
  for (const words of refused) pages.push(await typed(`ls ${words}`, null, 'code/api'));
  await expect(pages.join('\n')).toMatchFileSnapshot('screens/ls-asked.txt');
});
