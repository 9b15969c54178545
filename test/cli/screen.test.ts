import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { columnsOf } from '../helpers/display.ts';
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
  expect(first).toEqual({ code: 0, stdout: `${id}\n`, stderr: `started; see: zwarm show ${id}\n` });
  expect(await onScreen(project, ['wait', id])).toMatchObject({ stderr: '' });
  expect(await onScreen(project, ['start', '-q', 'x'], { tty: true })).toMatchObject({ stderr: '' });
  expect(await onScreen(project, ['start', 'x'])).toMatchObject({ stderr: '' });
  const live = await onScreen(project, ['inject', id, '--wait', 'x'], { tty: true });
  expect(live.stderr).toMatch(/^\r\u001b\[2K([\s\S]*\r\u001b\[2K)?$/);
  expect(await onScreen(project, ['inject', id, '--wait', 'x'])).toMatchObject({ stderr: '' });
  const { stdout } = await onScreen(project, ['ls']);
  expect(stdout).toMatch(/^screen2abc\tcompleted\t3\tcodex\t\S+Z\tfirst task$/m);
  expect((await onScreen(project, ['ls'], { tty: true })).stdout).toMatch(/^\S*ID/);
  expect(await onScreen(project, ['ls', '--status', 'lost'])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await onScreen(project, ['ls', '--status', 'lost', '--json'])).toMatchObject({ stdout: '[]\n' });
});

test('a page renders what the agent wrote for a terminal, and keeps it for a pipe', async () => {
  const project = createProject();
  await onScreen(project, ['start', '--wait', 'x'], { env: sayingOnly(project, '**bold** [a](b)') });
  const env = { NO_COLOR: '1' };
  expect((await onScreen(project, ['show', '@last'], { tty: true, env })).stdout).toContain(
    '\n  bold a (b)\n',
  );
  expect((await onScreen(project, ['show', '@last'], { env })).stdout).toContain('\n  **bold** [a](b)\n');
});

test('on a terminal of 40 columns every line of what is shown fits', async () => {
  const project = createProject();
  const wide = '日本語のドキュメントを書く 🎉 '.repeat(20);
  const options = { tty: true, columns: 40, env: sayingOnly(project, wide) };
  await onScreen(project, ['start', '--wait', wide, '--name', 'a-name-that-is-rather-long'], options);
  for (const argv of [['ls'], ['show', '@last'], ['show', '@last', '--full']]) {
    const { stdout } = await onScreen(project, argv, options);
    for (const line of stdout.split('\n')) expect.soft(columnsOf(line), line).toBeLessThanOrEqual(40);
  }
  const { stderr } = await onScreen(project, ['inject', '@last', '--wait', 'x'], options);
  for (const line of stderr.replaceAll('\u001b[2K', '').split('\r'))
    expect.soft(columnsOf(line), line).toBeLessThan(40);
});
