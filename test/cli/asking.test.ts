import { expect, test } from 'vitest';
import { createShellProject, eventually, type Project } from '../helpers/project.ts';
import { onTerminal } from '../helpers/pseudo-terminal.ts';

const [A, B, C] = ['askedaaaaa', 'askedbbbbb', 'askedccccc'] as const;
const HOUR = 3_600_000;

/** A project with two sessions that have ended and one that runs, and what it shows three days later. */
async function projectOfThree() {
  const project = createShellProject();
  const now = Date.now();
  await project.ended(['--name', 'cart', 'quick: why is the total wrong when an item is bought twice?'], {
    newId: A,
  });
  await project.ended(['quick tour'], { newId: B });
  await project.zwarm(['start', 'hang', '--tag', 'nightly'], { newId: C });
  const env = { NO_COLOR: '1' };
  const on = (line: string, options = {}) =>
    project.$(line, { tty: true, env, now: now + 73 * HOUR, ...options });
  const ids = async () => (await project.ok(['ls', '-q'])).split('\n').sort();
  return { project, on, ids };
}

/** Sizes differ from machine to machine. */
const sized = (text: string): string =>
  text
    .replaceAll(/\d+(\.\d)? k?B(?= )/g, (size) => 'N kB'.padStart(size.length))
    .replaceAll(/\d+(\.\d)? k?B/g, 'N kB');

test('on a terminal several sessions are shown before they go, and nothing happens unless one agrees', async () => {
  const { project, on, ids } = await projectOfThree();
  const no = { answer: false };
  const shown: string[] = [];
  for (const line of ['clean --days 1', `rm ${A} @last~1`, 'kill --all', 'kill --tag nightly'])
    shown.push(`$ zwarm ${line}\n`, sized(await on(line, no)));
  expect(shown.join('')).toMatchInlineSnapshot(`
    "$ zwarm clean --days 1
    ID          NAME  AGO    SIZE  TASK
    askedaaaaa  cart   3d    N kB  quick: why is the total wrong when an item is bo…
    askedbbbbb         3d    N kB  quick tour
    Delete these 2 sessions (N kB)?
    nothing was changed
    [exit 1]
    $ zwarm rm askedaaaaa @last~1
    ID          NAME  AGO  TASK
    askedaaaaa  cart   3d  quick: why is the total wrong when an item is bought twi…
    askedbbbbb         3d  quick tour
    Delete these 2 sessions?
    nothing was changed
    [exit 1]
    $ zwarm kill --all
    ID          AGO  TASK
    askedccccc   3d  hang
    End this session?
    nothing was changed
    [exit 1]
    $ zwarm kill --tag nightly
    ID          AGO  TASK
    askedccccc   3d  hang
    End this session?
    nothing was changed
    [exit 1]
    "
  `);
  expect(sized(await on('clean --days 1', { ...no, columns: 40 }))).toMatchInlineSnapshot(`
    "ID          AGO  TASK
    askedaaaaa   3d  quick: why is the tota…
    askedbbbbb   3d  quick tour
    Delete these 2 sessions (N kB)?
    nothing was changed
    [exit 1]
    "
  `);
  expect(await ids()).toEqual([A, B, C]);
  expect(await project.list(['--status', 'running'])).toHaveLength(1);

  const yes = { answer: true };
  expect(await on('kill --all', yes)).toContain(`${C} killed\n`);
  expect(await on('kill --all', yes)).toBe('nothing is running\n');
  expect(await on(`rm ${A} ${B} nosuchone`, yes)).toContain(`${A}\n`);
  expect(await ids()).toEqual([C]);
});

test('what comes while somebody thinks about the question is not touched', async () => {
  const { project, on, ids } = await projectOfThree();
  const begun: string[] = [];
  const answer = async () => {
    begun.push(await project.ended());
    return true;
  };
  await on('rm @last~1 @last~2', { answer });
  expect(await ids()).toEqual([C, ...begun].sort());
  begun.push(await project.ended());
  await on('clean --days 0', { answer });
  expect(await ids()).toEqual([C, ...begun.slice(2)].sort());
});

test('-y, one named session and whoever is not on a terminal are not asked', async () => {
  const { project, on, ids } = await projectOfThree();
  expect(await on('kill --all -y')).toBe(`${C} killed\n`);
  expect(await on(`rm ${C} @last`)).toBe(`${C}\n`);
  expect(await on('clean --days 1 -q -y')).toBe(`${A}\n${B}\n`);
  expect(await ids()).toEqual(['']);
  expect(await on('clean --days 1')).toBe('removed 0 sessions, 0 B\n');
  const [first, second] = [await project.ended(), await project.ended()];
  expect(await project.$(`rm ${first} ${second}`)).toBe(`${first}\n${second}\n`);
});

test('clean --dry-run shows what it is about: a table on a terminal, rows in a pipe, ids with -q', async () => {
  const { project, on, ids } = await projectOfThree();
  const line = 'clean --older-than 36h --dry-run';
  expect(sized(await on(line))).toMatchInlineSnapshot(`
    "ID          NAME  AGO    SIZE  TASK
    askedaaaaa  cart   3d    N kB  quick: why is the total wrong when an item is bo…
    askedbbbbb         3d    N kB  quick tour
    would remove 2 sessions, N kB; kept askedccccc (running)
    "
  `);
  const rows = (await on(line, { tty: false })).trimEnd().split('\n');
  expect(rows.map((row) => row.replace(/\t\S+Z\t\d+\t/, '\tTIME\tBYTES\t'))).toMatchInlineSnapshot(`
    [
      "askedaaaaa	TIME	BYTES	cart	quick: why is the total wrong when an item is bought twice?",
      "askedbbbbb	TIME	BYTES		quick tour",
    ]
  `);
  expect(await on(`${line} -q`)).toBe(`${A}\n${B}\n`);
  expect(await project.$('clean --older-than 36h --dry-run')).toBe('');
  expect(await ids()).toEqual([A, B, C]);
});

/** What is typed at a question of the built zwarm, on a terminal of the kernel. */
async function answered(project: Project, keys: string): Promise<{ shown: string; code: number | null }> {
  const terminal = onTerminal(project, ['clean', '--days', '0']);
  await eventually('it asks', () => terminal.shown().includes('[y/N]'));
  terminal.type(keys);
  return { code: await terminal.code, shown: terminal.shown() };
}

test('n, the end of the input, a bare Enter and Ctrl-C change nothing; y does it', async () => {
  const project = createShellProject();
  const id = await project.ended();
  const codes = { 'n\r': 1, '\u0004': 1, '\r': 1, '\u0003': 130 };
  for (const [keys, expected] of Object.entries(codes)) {
    const { code, shown } = await answered(project, keys);
    expect.soft(code, JSON.stringify(keys)).toBe(expected);
    expect.soft(shown).toMatch(/TASK[\s\S]*Delete this session \(.*\)\? \[y\/N\]/);
    expect(await project.ok(['ls', '-q'])).toBe(id);
  }
  expect((await answered(project, 'y\r')).code).toBe(0);
  expect(await project.ok(['ls', '-q'])).toBe('');
});
