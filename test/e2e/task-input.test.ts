import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createShellProject, runProgram, ZWARM } from '../helpers/project.ts';

const ODD = `-n "double" 'single' \`backtick\` $(touch pwn) \${HOME} \\ %s %n
--sandbox danger-full-access\r\n\ttab, ünïcödé 日本語 🎉 \u202e, \u001b[31mred, \u2028 and no newline at the end`;

test('a task arrives byte for byte, whatever it holds and however it is given', async () => {
  const project = createShellProject();
  const big = `${ODD}\n`.repeat(Math.ceil(300_000 / Buffer.byteLength(ODD)));
  writeFileSync(join(project.directory, 'task.md'), big);
  /** In the record, and at the agent's stdin. */
  const arrives = async (argv: string[], input: string, prompt: string): Promise<void> => {
    const { id, turn } = JSON.parse(await project.ok([...argv, '--wait', '--json'], { input }));
    expect(readFileSync(project.turnFile(id, turn, 'prompt.md'), 'utf8')).toBe(prompt);
    expect(project.runs().at(-1)?.stdin).toBe(prompt);
  };
  await arrives(['start', '--name=odd', '-'], ODD, ODD);
  expect((await project.show('odd')).task).toBe(ODD);
  await arrives(['start', '  white space around it \n\n'], '', '  white space around it \n\n');
  await arrives(['start'], `${ODD}\n\n`, `${ODD}\n\n`);
  await arrives(['start', '-F', '-'], '\ufeffwith a byte order mark', '\ufeffwith a byte order mark');
  await arrives(['start', '-F', 'task.md'], 'this is not read', big);
  await arrives(
    ['start', 'the argument wins over a pipe'],
    'this is not read',
    'the argument wins over a pipe',
  );
  await arrives(['inject', 'odd', `\n${ODD}`], '', `\n${ODD}`);
  await arrives(['inject', 'odd', '-'], big, big);
  await arrives(['inject', 'odd'], ODD, ODD);
  await arrives(['inject', 'odd', '-F', 'task.md'], '', big);
  // More than any message says.
  const prompt = 'ab '.repeat(3 << 19);
  await arrives(['start', '--name=long', '-'], prompt, prompt);
  expect((await project.list())[0]?.task).toHaveLength(500);
  const refused = await project.$('start -', { input: 'x'.repeat((10 << 20) + 1) });
  expect(refused).toMatch(/longer than 10 MiB[\s\S]*\[exit 2\]/);
  expect(project.runs()).toHaveLength(11);
  expect(existsSync(join(project.directory, 'pwn'))).toBe(false);
});

test('without a task the editor opens on a terminal, and what it saves is the task', async () => {
  const project = createShellProject();
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
