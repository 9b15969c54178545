import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { beginLines, endLine, THREAD } from '../../bench/streams.js';
import { onScreen } from '../helpers/context.ts';
import { columnsOf, plain } from '../helpers/display.ts';
import { saying } from '../helpers/hostile-output.ts';
import { createProject, type Project } from '../helpers/project.ts';

/** An agent that says this wherever an agent can say something. */
function sayingOnly(project: Project, text: string): Record<string, string> {
  const path = join(project.base, 'said.jsonl');
  writeFileSync(path, saying(text));
  return { FAKE_AGENT_STREAM: path };
}

test('colours come and go with the terminal and the environment', async () => {
  const project = createProject();
  await onScreen(project, ['start', '--wait', 'x']);
  for (const [options, coloured] of [
    [{ tty: true }, true],
    [{ tty: true, env: { NO_COLOR: '1' } }, false],
    [{}, false],
    [{ env: { FORCE_COLOR: '1' } }, true],
  ] as const) {
    const { stdout } = await onScreen(project, ['show', '@last'], options);
    expect(stdout.includes('\u001b[')).toBe(coloured);
    const rows = (await onScreen(project, ['ls'], options)).stdout;
    expect(rows.includes('\u001b[')).toBe(coloured && 'tty' in options);
  }
});

test('hints, tables and the live line are for terminals; pipes get plain rows', async () => {
  const project = createProject();
  const id = 'screen2abc';
  const first = await onScreen(project, ['start', 'first task'], { tty: true, newId: id });
  expect(first).toEqual({ code: 0, stdout: `${id}\n`, stderr: `codex started; see: zwarm show ${id}\n` });
  expect(await project.$(`wait ${id}`)).toBe(`${id} completed\n`);
  expect(await project.$('start -q x', { tty: true })).toMatch(/^\w{10}\n$/);
  expect(await project.$('start x')).toMatch(/^\w{10}\n$/);
  const live = await onScreen(project, ['inject', id, '--wait', 'x'], { tty: true });
  expect(live.stderr).toMatch(/^\r\u001b\[2K([\s\S]*\r\u001b\[2K)?$/);
  expect(await onScreen(project, ['inject', id, '--wait', 'x'])).toMatchObject({ stderr: '' });
  expect(await project.$('ls')).toMatch(/^screen2abc\tcompleted\t3\tcodex\t\S+Z\tx$/m);
  expect(await project.$('ls', { tty: true })).toMatch(/^\S*ID/);
  expect(await project.$('ls --status lost')).toBe('');
  expect(await project.$('ls --status lost --json')).toBe('[]\n');
});

test('--color is stronger than what the environment and the terminal say', async () => {
  const project = createProject();
  await project.ended();
  const colours = async (argv: string[], options = {}) =>
    /\x1b\[\d/.test((await project.zwarm(argv, options)).stdout);
  expect(await colours(['ls', '--color', 'always', '--all'])).toBe(false);
  expect(await colours(['show', '@last', '--color', 'always'])).toBe(true);
  expect(await colours(['--color', 'always', 'show', '@last'], { env: { NO_COLOR: '1' } })).toBe(true);
  expect(await colours(['show', '@last', '--color', 'never'], { tty: true })).toBe(false);
  expect(await colours(['show', '@last'], { tty: true })).toBe(true);
});

test('a page renders what the agent wrote for a terminal, and keeps it for a pipe', async () => {
  const project = createProject();
  await onScreen(project, ['start', '--wait', 'x'], { env: sayingOnly(project, '**bold** [a](b)') });
  const shown = await project.$('show @last', { tty: true, env: { NO_COLOR: '1' } });
  expect(shown).toContain('\n  bold a (b)\n');
  expect(await project.$('show @last')).toContain('\n  **bold** [a](b)\n');
});

test('on a terminal of 40 columns every line of what is shown fits, but for a path, which can be copied', async () => {
  const project = createProject();
  const wide = '日本語のドキュメントを書く 🎉 '.repeat(20);
  const options = { tty: true, columns: 40, env: sayingOnly(project, wide) };
  await onScreen(project, ['start', '--wait', wide, '--name', 'a-name-that-is-rather-long'], options);
  for (const argv of [['ls'], ['show', '@last'], ['show', '@last', '--full']]) {
    const { stdout } = await onScreen(project, argv, options);
    const lines = stdout.split('\n').filter((line) => !/^ {2}(directory|log) +\/\S+$/.test(plain(line)));
    for (const line of lines) expect.soft(columnsOf(line), line).toBeLessThanOrEqual(40);
  }
  const { stderr } = await onScreen(project, ['inject', '@last', '--wait', 'x'], options);
  for (const line of stderr.replaceAll('\u001b[2K', '').split('\r'))
    expect.soft(columnsOf(line), line).toBeLessThan(40);
});

test('the files that a session changed stand at the top of its page, or at its end where no summary has them', async () => {
  const project = createProject();
  const path = join(project.base, 'changes.jsonl');
  const changing = (names: readonly string[]) => {
    const changes = names.map((name) => ({ path: join(project.directory, name), kind: 'update' }));
    const change = { id: 'item_0', type: 'file_change', changes, status: 'completed' };
    const changed = JSON.stringify({ type: 'item.completed', item: change });
    writeFileSync(path, `${beginLines(THREAD)}${changed}\n${endLine({ input_tokens: 1, output_tokens: 1 })}`);
    return project.ended(['x'], { env: { FAKE_AGENT_STREAM: path } });
  };
  // A list reads all summaries.
  const long = await changing(['x'.repeat(1000)]);
  expect(readFileSync(join(project.turnFile(long, 1, '..'), '..', 'summary.json'), 'utf8')).not.toContain(
    'xxx',
  );
  const id = await changing(['b.ts', 'a.ts']);
  const now = Date.now();
  const show = async (...more: string[]) => (await onScreen(project, ['show', id, ...more], { now })).stdout;
  const row = '  changed    2 files: b.ts, a.ts\n';
  const [page, json] = [await show(), await show('--json')];
  // What a summary knows is not of one turn.
  expect(await show('--turn', '1')).toMatch(new RegExp(`\\n\\n${row}$`));
  expect(page).toMatch(new RegExp(`^[^\\n]*\\n(  .*\\n)*${row}`));
  rmSync(join(project.turnFile(id, 1, '..'), '..', 'summary.json'));
  expect(await show()).toBe(`${page.replace(row, '')}\n${row}`);
  expect(await show('--json')).toBe(json);
});
