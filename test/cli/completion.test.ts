import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AGENTS } from '../../src/agents/registry.ts';
import { createShellProject, eventually, type Project, ZWARM } from '../helpers/project.ts';
import { programOnTerminal } from '../helpers/pseudo-terminal.ts';
import { snapshot } from '../helpers/tree.ts';

/** Three sessions: `bugs` failed, `docs` runs, and one without a name is done. */
async function threeSessions(): Promise<Project> {
  const project = createShellProject();
  const failing = ['start', '--wait', '--name', 'bugs', '-m', 'gpt-5', 'exit 3'];
  await project.zwarm(failing, { newId: 'breaks2345' });
  await project.start(['--name', 'docs', 'hang'], { newId: 'hangs23456' });
  const hostile = "quick '$(touch pwned)' `touch pwned`\t\u001b]0;x\u0007 a:b \\t %F{red}\nmore";
  await project.ok(['start', '--wait', hostile], { newId: 'ready23456' });
  for (const name of ['bugs', 'ready23456']) await project.settled((await project.show(name)).id);
  return project;
}

/** What can follow on a line, a word without its explanation; the last word is unfinished, or empty after a space. */
async function follows(project: Project, line: string): Promise<string> {
  const words = line.split(' ').slice(1);
  const { code, stdout, stderr } = await project.zwarm(['complete', '--', ...words]);
  expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' });
  return stdout.replace(/\t.*/g, '').trimEnd().replaceAll('\n', ' ');
}

describe('what can follow', () => {
  test('is told from the tables of the verbs and from the sessions of the project', async () => {
    const project = await threeSessions();
    const before = snapshot(project.base);
    const lines =
      `zwarm k|zwarm --proj|zwarm help tra|zwarm sto|zwarm nosuch |zwarm kill |zwarm kill --tree |zwarm rm a|zwarm rm |zwarm show x
      zwarm show |zwarm show r|zwarm show do|zwarm show hang|zwarm show @|zwarm wait docs |zwarm show docs
      zwarm inject docs |zwarm inject docs --hist|zwarm name docs |zwarm ls --status f
      zwarm ls --status=lost,k|zwarm ls --status lost,|zwarm ls -q --sort |zwarm start -a |zwarm start --agent=d
      zwarm start -m |zwarm start -C |zwarm start --directory=x|zwarm start -F |zwarm start fix --ag|zwarm start -- -
      zwarm config s|zwarm config set max_|zwarm mcp install --host c|zwarm mcp install --remove --un
      zwarm completion |zwarm wait --any --a|zwarm wait -- -`.split(/[|\n]/);
    const agents = AGENTS.map(({ name }) => name).join(' ');
    const told: string[] = [];
    for (const line of lines.map((one) => one.replace(/^ {6}/, '')))
      told.push(`${line}| ${(await follows(project, line)).replace(agents, 'AGENTS')}`.trimEnd());
    expect(`\n${told.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      zwarm k| kill
      zwarm --proj| --project
      zwarm help tra| trajectory
      zwarm sto| stop
      zwarm nosuch |
      zwarm kill | docs
      zwarm kill --tree | docs
      zwarm rm a|
      zwarm rm | ready23456 bugs
      zwarm show x|
      zwarm show | ready23456 docs bugs
      zwarm show r| ready23456
      zwarm show do| docs
      zwarm show hang| hangs23456
      zwarm show @| @last @last~1 @here @running @failed
      zwarm wait docs | ready23456 bugs
      zwarm show docs| docs
      zwarm inject docs |
      zwarm inject docs --hist| --history-chars
      zwarm name docs |
      zwarm ls --status f| failed
      zwarm ls --status=lost,k| --status=lost,killed
      zwarm ls --status lost,| lost,pending lost,running lost,completed lost,failed lost,killed lost,unknown lost,ready lost,damaged
      zwarm ls -q --sort | created updated
      zwarm start -a | AGENTS
      zwarm start --agent=d| --agent=demo
      zwarm start -m | gpt-5
      zwarm start -C | :directory
      zwarm start --directory=x| :directory
      zwarm start -F | :file
      zwarm start fix --ag| --agent --agent-arg
      zwarm start -- -|
      zwarm config s| set
      zwarm config set max_| max_depth max_sessions max_running
      zwarm mcp install --host c| codex claude cursor
      zwarm mcp install --remove --un|
      zwarm completion | bash zsh fish
      zwarm wait --any --a| --answer
      zwarm wait -- -|
      "
    `);
    expect(snapshot(project.base)).toEqual(before);
  });

  test('says what it stands for, harmlessly', async () => {
    const project = await threeSessions();
    expect((await project.zwarm(['complete', '--', 'show', ''])).stdout).toMatchInlineSnapshot(`
      "ready23456	completed: quick '$(touch pwned)' \`touch pwned\` \\x1b]0;x\\x07 a:b \\t %F{red} …
      docs	running: hang
      bugs	failed: exit 3
      "
    `);
  });

  test('is looked up where the line itself says', async () => {
    const project = await threeSessions();
    const elsewhere = join(project.base, 'elsewhere');
    mkdirSync(elsewhere);
    const there = ['complete', '--', '--project', project.directory, 'kill', ''];
    expect((await project.zwarm(there, { cwd: elsewhere })).stdout).toMatch(/^docs\t/);
    expect(await follows(project, `zwarm --project=${elsewhere} kill `)).toBe('');
    expect(await follows(project, `zwarm --state-dir ${elsewhere} kill `)).toBe('');
  });

  test('of many sessions, is told of those with the newest turns', async () => {
    const project = createShellProject();
    const id = await project.ended(['quick']);
    const turnsOf = (one: string) => join(project.store(), 'sessions', one, 'turns');
    for (let i = 0; i < 8 ** 3; i += 1) {
      const digits = i
        .toString(8)
        .padStart(3, '0')
        .replace(/./g, (digit) => String(Number(digit) + 2));
      mkdirSync(turnsOf(`many222${digits}`), { recursive: true });
    }
    const later = new Date(Date.now() + 60_000);
    utimesSync(turnsOf(id), later, later);
    const shown = await follows(project, 'zwarm show ');
    expect(shown.split(' ')).toHaveLength(200);
    expect(shown).toContain(id);
    expect(await follows(project, 'zwarm show many222393')).toBe('many222393');
  });

  test('is an error of zwarm itself only where a shell hides it', async () => {
    const project = createShellProject();
    const { code, stdout, stderr } = await project.zwarm([
      'complete',
      '--',
      '--project',
      'nowhere',
      'kill',
      '',
    ]);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('nowhere'),
    });
  });
});

test('the script comes with the line that installs it, on a terminal alone', async () => {
  const project = createShellProject();
  for (const [shell, how] of [
    ['bash', 'source <(zwarm completion bash)'],
    ['zsh', 'zwarm completion zsh >'],
    ['fish', 'zwarm completion fish >'],
  ] as const) {
    const piped = await project.zwarm(['completion', shell]);
    const shown = await project.zwarm(['completion', shell], { tty: true });
    expect(shown).toEqual({ ...piped, stderr: expect.stringContaining(how) });
    expect(piped).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('zwarm complete --'),
      stderr: '',
    });
  }
});

/** How each shell is begun without anybody's settings, and loads the script. */
const SHELLS = {
  bash: [['bash', '--norc', '--noprofile', '-i'], 'source <(zwarm completion bash)'],
  zsh: [['zsh', '-f', '-i'], 'fpath=($HOME $fpath); autoload -U compinit; compinit -u -D'],
  fish: [['fish', '--no-config', '-i'], 'zwarm completion fish | source'],
} as const;

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'exit']).status === 0;

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (shell) => {
  const name = isThere(shell) ? 'completes what was typed' : `is not installed: its completion is not tried`;
  test.runIf(process.platform === 'linux' && isThere(shell))(name, async () => {
    const project = await threeSessions();
    const bin = join(project.base, 'bin');
    mkdirSync(bin);
    symlinkSync(ZWARM, join(bin, 'zwarm'));
    writeFileSync(join(project.base, 'home', '_zwarm'), await project.ok(['completion', 'zsh']));
    mkdirSync(join(project.directory, 'a dir'));
    const [argv, load] = SHELLS[shell];
    const env = { PATH: `${bin}:${process.env['PATH']}`, PS1: '$ ', ZWARM_DEBUG: '1' };
    const terminal = programOnTerminal(project, argv, { env });
    onTestFinished(async () => {
      terminal.type('\u0003\nexit\n');
      await terminal.code;
    });
    let lines = 0;
    /** Types a line, and gives what it has written to the file `out`. */
    const typed = async (line: string): Promise<string> => {
      lines += 1;
      const [out, done] = [join(project.directory, `out${lines}`), join(project.directory, `done${lines}`)];
      terminal.type(`${line}>out${lines}; echo > done${lines}\n`);
      await eventually(`${shell} has run: ${line}\n${terminal.shown()}`, () => existsSync(done));
      return readFileSync(out, 'utf8');
    };
    await typed(`${load}; echo loaded `);
    expect(await typed('zwarm ls -q --statu\tfai\t')).toBe('breaks2345\n');
    expect(await typed('zwarm ls -q --status=compl\t')).toBe('ready23456\n');
    expect(await typed('zwarm --project a\tls -q ')).toBe('');
    // The list of what can follow shows the words of agents; then the line is taken back.
    expect(await typed('zwarm show \t\t\u0015echo ok ')).toBe('ok\n');
    expect(await typed('zwarm start -m gp\t--help | grep -c Usage ')).toBe('1\n');
    expect(await typed('zwarm ki\t-q do\t')).toBe('hangs23456\n');
    expect(existsSync(join(project.directory, 'pwned'))).toBe(false);
  });
});
