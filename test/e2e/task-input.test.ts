import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createProject, type Project, runProgram, ZWARM } from '../helpers/project.ts';

/** Every byte arrives: in the record, and at the agent's stdin. */
function expectPrompt(project: Project, id: string, turn: number, prompt: string): void {
  expect(readFileSync(project.turnFile(id, turn, 'prompt.md'), 'utf8')).toBe(prompt);
  expect(project.runs().at(-1)?.stdin).toBe(prompt);
}

const ODD = `-n "double" 'single' \`backtick\` $(touch pwn) \${HOME} \\ %s %n
--sandbox danger-full-access\r\n\ttab, ünïcödé 日本語 🎉 \u202e, \u001b[31mred, \u2028 and no newline at the end`;

test('a task arrives byte for byte, whatever it holds and however it is given', async () => {
  const project = createProject();
  const big = `${ODD}\n`.repeat(Math.ceil(300_000 / Buffer.byteLength(ODD)));
  writeFileSync(join(project.directory, 'task.md'), big);
  const ways: readonly [argv: string[], input: string, prompt: string][] = [
    [['start', '--wait', '--json', '--', ODD], '', ODD],
    [['start', '--wait', '--json', '  white space around it \n\n'], '', '  white space around it \n\n'],
    [['start', '--wait', '--json', '-'], ODD, ODD],
    [['start', '--wait', '--json'], `${ODD}\n\n`, `${ODD}\n\n`],
    [['start', '--wait', '--json', '-F', '-'], ODD, ODD],
    [['start', '--wait', '--json', '-F', 'task.md'], '', big],
    [['start', '--wait', '--json', '-F', 'task.md'], 'this is not read', big],
    [
      ['start', '--wait', '--json', 'the argument wins over a pipe'],
      'this is not read',
      'the argument wins over a pipe',
    ],
    [['start', '--wait', '--json', '-'], '\ufeffwith a byte order mark', '\ufeffwith a byte order mark'],
  ];
  for (const [argv, input, prompt] of ways) {
    const session = JSON.parse(await project.ok(argv, { input }));
    expect(session.status).toBe('completed');
    expectPrompt(project, session.id, 1, prompt);
    expect((await project.show(session.id)).task).toBe(prompt);
  }
  const [{ id } = { id: '' }] = await project.list();
  const messages: readonly [argv: string[], input: string, prompt: string][] = [
    [['inject', id, '--wait', '--', ODD], '', ODD],
    [['inject', id, '--wait', '-'], big, big],
    [['inject', id, '--wait'], ODD, ODD],
    [['inject', id, '--wait', '-F', 'task.md'], '', big],
  ];
  for (const [i, [argv, input, prompt]] of messages.entries()) {
    await project.ok(argv, { input });
    expectPrompt(project, id, i + 2, prompt);
  }
  expect(existsSync(join(project.directory, 'pwn'))).toBe(false);
});

test('a task of 3 MB on stdin arrives whole', async () => {
  const project = createProject();
  const prompt = 'ä'.repeat(3 << 19);
  const { id } = JSON.parse(await project.ok(['start', '--wait', '--json', '-'], { input: prompt }));
  expect(readFileSync(project.turnFile(id, 1, 'prompt.md'), 'utf8') === prompt).toBe(true);
  expect(project.runs()[0]?.stdin === prompt).toBe(true);
  expect((await project.list())[0]?.task).toHaveLength(500);
});

test('a stdin that is open but never written to does not hold up a task that is an argument', async () => {
  const project = createProject();
  const child = spawn(process.execPath, [ZWARM, 'start', 'do it'], {
    cwd: project.directory,
    env: project.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  expect(await text(child.stdout)).toMatch(/^\w{10}\n$/);
  child.stdin.destroy();
});

test('without a task the editor opens on a terminal, and what it saves is the task', async () => {
  const project = createProject();
  const editor = join(project.base, 'my editor');
  writeFileSync(editor, '#!/bin/sh\n[ -t 0 ] && [ -t 1 ] && printf "%s\\n" "$1" "written by hand" > "$2"\n');
  chmodSync(editor, 0o755);
  const env = { ...project.env, VISUAL: undefined, EDITOR: `'${editor}' --mode=x` };
  const command = `'${process.execPath}' '${ZWARM}' start --wait --json`;
  const typescript = join(project.base, 'typescript');
  const ended = await runProgram('script', ['-qec', command, typescript], { cwd: project.directory, env });
  expect(ended.code).toBe(0);
  expect(project.runs().map((run) => run.stdin)).toEqual(['--mode=x\nwritten by hand']);
});

test('a task of more than 10 MiB is refused before anything is written', async () => {
  const project = createProject();
  const ended = await project.zwarm(['start', '-'], { input: 'x'.repeat((10 << 20) + 1) });
  expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('longer than 10 MiB') });
  expect(await project.list()).toEqual([]);
});
