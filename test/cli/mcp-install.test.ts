import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/registry.ts';
import { testAsRoot } from '../helpers/as-root.ts';
import { place } from '../helpers/config.ts';
import { onScreen, type ScreenOptions } from '../helpers/context.ts';
import { git } from '../helpers/git.ts';
import { createProject, type Project, ZWARM } from '../helpers/project.ts';
import { notPrivate, snapshot } from '../helpers/tree.ts';

const COMMAND = { command: process.execPath, args: [ZWARM, 'mcp'] };
const STDIO = { type: 'stdio', ...COMMAND };
const LONG = { env: { ZWARM_WAIT_SEC: '1500' } };
const PATIENT = { ...COMMAND, ...LONG, timeout: 1_800_000 };
const OF_CODEX = {
  ...{ ...COMMAND, ...LONG, required: true, startup_timeout_sec: 20, tool_timeout_sec: 1800 },
  supports_parallel_tool_calls: true,
  env_vars: expect.arrayContaining([
    ...['ZWARM_SESSION_ID', 'ZWARM_MARK', 'CODEX_HOME', 'no_proxy'],
    // Where each agent is.
    ...AGENTS.flatMap(({ program }) => (program.kind === 'path' ? [program.variable] : [])),
  ]),
};
const OF_OPENCODE = { type: 'local', command: [process.execPath, ZWARM, 'mcp'], enabled: true };

/**
 * What `mcp install` is to write for each host: the file in the user's home or in the project, what holds the servers
 * there, the entry, and what `--unattended` adds, or null where the file cannot say it.
 */
const HOSTS = {
  codex: ['~/.codex/config.toml', 'mcp_servers', OF_CODEX, { default_tools_approval_mode: 'approve' }],
  claude: ['./.mcp.json', 'mcpServers', { ...STDIO, ...LONG }, null],
  cursor: ['./.cursor/mcp.json', 'mcpServers', STDIO, null],
  opencode: ['~/.config/opencode/opencode.json', 'mcp', OF_OPENCODE, null],
  gemini: ['~/.gemini/settings.json', 'mcpServers', PATIENT, { trust: true }],
  qwen: ['~/.qwen/settings.json', 'mcpServers', PATIENT, { trust: true }],
  vscode: ['./.vscode/mcp.json', 'servers', STDIO, null],
} satisfies Readonly<Record<string, readonly [string, string, object, object | null]>>;
type Host = keyof typeof HOSTS;
const ALL = Object.keys(HOSTS) as Host[];

/** A project whose PATH has nothing on it. */
function bareProject(): Project {
  const project = createProject();
  project.env['PATH'] = '/nowhere';
  return project;
}

const fileOf = ({ base, directory }: Project, host: Host): string =>
  HOSTS[host][0].replace('~', join(base, 'home')).replace(/^\.(?=\/)/, directory);

const install = (project: Project, host: Host, args: readonly string[], options?: ScreenOptions) =>
  onScreen(project, ['mcp', 'install', '--host', host, ...args], options);

/** What a host's file says of our server. */
function entryIn(host: Host, text: string): Record<string, unknown> | undefined {
  const document = host === 'codex' ? parse(text) : JSON.parse(text.replaceAll(/\/\/.*$/gm, ''));
  return document[HOSTS[host][1]]?.zwarm;
}

const readEntry = (project: Project, host: Host) =>
  entryIn(host, fs.readFileSync(fileOf(project, host), 'utf8'));

/** A host's file with a server of the user's. */
function mineOf(host: Host): string {
  if (host === 'codex') return 'model = "m" # mine\n\n[mcp_servers.mine]\ncommand = "mine"\n';
  return `{\n    // mine\n    "${HOSTS[host][1]}": {\n        "mine": {"command": "mine"}\n    }\n}\n`;
}

const YES: ScreenOptions = { tty: true, answer: true };

test.each(ALL)('%s: a new file is shown, asked for and written, for its user alone', async (host) => {
  const project = bareProject();
  const file = fileOf(project, host);
  const before = snapshot(project.base);
  const [, , entry, unattended] = HOSTS[host];
  const printed = await install(project, host, ['--print']);
  expect(entryIn(host, printed.stdout)).toEqual(entry);
  const free = await install(project, host, ['--unattended', '--print']);
  if (unattended === null) {
    const said = `zwarm: --unattended cannot be written into the file of ${host}\nhint: leave it out; `;
    expect(free).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
  } else {
    expect(entryIn(host, free.stdout)).toEqual({ ...entry, ...unattended });
    expect(free.stderr).toMatch(/^zwarm: with --unattended the model .* the model itself may only read\n$/);
  }
  expect(snapshot(project.base)).toEqual(before);

  const screen = await install(project, host, [], { ...YES, env: { NO_COLOR: '1' } });
  expect(screen.code).toBe(0);
  expect(screen.stderr).toContain(`Write this to ${file}?\n`);
  expect(screen.stderr.includes('opencode does not ask')).toBe(host === 'opencode');
  const text = fs.readFileSync(file, 'utf8');
  expect(text).toBe(printed.stdout);
  expect(screen.stdout).toBe(`${file}\n${text.replace(/^(?=.)/gm, '+ ')}`);
  expect(notPrivate(file)).toEqual([]);
  if (host !== 'claude') expect(notPrivate(dirname(file))).toEqual([]);
});

test('what was there stays, comments too, and removal gives it back to the byte', async () => {
  const project = bareProject();
  for (const host of ['codex', 'vscode', 'opencode'] as const) {
    const file = fileOf(project, host).replace('opencode.json', 'opencode.jsonc');
    place(file, mineOf(host));
    fs.chmodSync(file, 0o640);
    const done: unknown[] = [];
    for (const args of [[], [], ['--remove'], ['--remove']]) {
      const { code, stdout } = await install(project, host, [...args, '--yes', '--json']);
      const { changed, removed } = JSON.parse(stdout);
      const text = fs.readFileSync(file, 'utf8');
      done.push([code, changed, removed, entryIn(host, text) !== undefined, text.includes('mine\n')]);
      expect(JSON.parse(stdout)).toEqual({ host, file, changed, removed });
    }
    expect(done).toEqual([
      [0, true, false, true, true],
      [0, false, false, true, true],
      [0, true, true, false, true],
      [0, false, false, false, true],
    ]);
    expect(fs.readFileSync(file, 'utf8')).toBe(mineOf(host));
    expect(fs.statSync(file).mode & 0o777).toBe(0o640);
    expect(fs.readdirSync(dirname(file))).toHaveLength(1);
  }
});

test('the change of a file that is there is shown before the question, and nothing is asked where there is none', async () => {
  const project = bareProject();
  const file = fileOf(project, 'qwen');
  place(file, mineOf('qwen'));
  const shown = async (): Promise<string> => {
    const text = await project.$('mcp install --host qwen', { ...YES, env: { NO_COLOR: '1' } });
    return text.replaceAll(file, 'FILE').replace(ZWARM, 'ZWARM').replace(process.execPath, 'NODE');
  };
  expect(await shown()).toMatchInlineSnapshot(`
    "FILE
      {
          // mine
          "mcpServers": {
    -         "mine": {"command": "mine"}
    +         "mine": {"command": "mine"},
    +         "zwarm": {
    +             "command": "NODE",
    +             "args": [
    +                 "ZWARM",
    +                 "mcp"
    +             ],
    +             "timeout": 1800000,
    +             "env": {
    +                 "ZWARM_WAIT_SEC": "1500"
    +             }
    +         }
          }
      }
    Write this to FILE?
    start Qwen Code anew; qwen mcp list shows the server
    "
  `);
  expect(await shown()).toBe('FILE: already there\n');
});

test('a zwarm on the PATH is called by its name, unless it is another one or only npm put it there', async () => {
  const project = bareProject();
  const put = (name: string): string => {
    fs.mkdirSync(join(project.base, name), { recursive: true });
    fs.symlinkSync(ZWARM, join(project.base, name, 'zwarm'));
    return join(project.base, name);
  };
  const isNamed = async (PATH: string): Promise<boolean> => {
    const { stdout, stderr } = await install(project, 'claude', ['--print'], { env: { PATH } });
    const { command, args } = entryIn('claude', stdout) ?? {};
    const named = command === 'zwarm';
    expect({ command, args }).toEqual(named ? { command, args: ['mcp'] } : COMMAND);
    expect(stderr.includes('this machine alone')).toBe(!named);
    return named;
  };
  const other = join(project.base, 'other');
  place(join(other, 'zwarm'), '#!/bin/sh\n');
  fs.chmodSync(join(other, 'zwarm'), 0o755);
  const bin = put('bin');
  expect(await isNamed(`/nowhere:${bin}`)).toBe(true);
  for (const path of [put('node_modules/.bin'), 'bin', `${other}:${bin}`])
    expect(await isNamed(path)).toBe(false);
});

test('a file in a project lies at the root of the checkout, one of the user where a variable says', async () => {
  const project = bareProject();
  fs.mkdirSync(join(project.directory, '.git'));
  fs.writeFileSync(join(project.directory, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const inner = join(project.directory, 'a', 'b');
  fs.mkdirSync(inner, { recursive: true });
  await install(project, 'claude', ['--yes'], { cwd: inner });
  expect(readEntry(project, 'claude')).toBeDefined();
  const home = join(project.base, 'a home');
  for (const [host, variable, file] of [
    ['codex', 'CODEX_HOME', 'config.toml'],
    ['opencode', 'XDG_CONFIG_HOME', 'opencode/opencode.json'],
    ['gemini', 'GEMINI_CLI_HOME', '.gemini/settings.json'],
    ['qwen', 'QWEN_HOME', 'settings.json'],
  ] as const) {
    const { stdout } = await install(project, host, ['--yes', '--json'], { env: { [variable]: home } });
    expect(JSON.parse(stdout)).toMatchObject({ file: join(home, file) });
    expect(entryIn(host, fs.readFileSync(join(home, file), 'utf8'))).toBeDefined();
    const relative = await install(project, host, ['--yes'], { env: { [variable]: 'relative' } });
    expect(relative).toMatchObject({ code: 2, stderr: expect.stringContaining(variable) });
  }
  for (const host of ['codex', 'cursor'] as const)
    expect((await install(project, host, ['--yes'], { env: { HOME: undefined } })).code).toBe(2);
});

test('the answer no, nobody to ask, or an agent that asks for it: nothing changes', async () => {
  const project = bareProject();
  const file = fileOf(project, 'codex');
  place(file, mineOf('codex'));
  const before = snapshot(project.base);
  const no = await install(project, 'codex', [], { tty: true, answer: false });
  expect(no).toMatchObject({ code: 1, stderr: expect.stringMatching(/\?\nnothing was changed\n$/) });
  const json = await install(project, 'codex', ['--json'], { tty: true, answer: false });
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toEqual({ host: 'codex', file, changed: false, removed: false });
  for (const options of [{}, { tty: true, input: 'y\n' }]) {
    const nobody = await install(project, 'codex', [], options);
    expect(nobody).toMatchObject({ code: 2, stdout: expect.stringContaining('[mcp_servers.zwarm]') });
    expect(nobody.stderr).toBe('zwarm: there is no terminal to ask on\nhint: say yes beforehand: --yes\n');
  }
  const env = { ZWARM_SESSION_ID: 'mcpagent22' };
  for (const args of [['--yes'], ['--yes', '--remove'], ['--yes', '--json']]) {
    const stderr = expect.stringContaining('zwarm mcp install --host codex --print');
    expect(await install(project, 'codex', args, { env })).toEqual({ code: 5, stdout: '', stderr });
  }
  expect((await install(project, 'codex', ['--print'], { env })).code).toBe(0);
  expect(snapshot(project.base)).toEqual(before);
});

test('the entry of Cursor goes into the project; the removal finds it there and in the home, one after the other', async () => {
  const project = bareProject();
  const [mine, ofHome] = [fileOf(project, 'cursor'), join(project.base, 'home/.cursor/mcp.json')];
  place(ofHome, mineOf('cursor'));
  await install(project, 'cursor', ['--yes']);
  expect(fs.readFileSync(ofHome, 'utf8')).toBe(mineOf('cursor'));
  // One that somebody has put there by hand, in a file that is a link.
  const real = join(project.base, 'dotfiles.json');
  place(real, fs.readFileSync(mine));
  fs.rmSync(ofHome);
  fs.symlinkSync(real, ofHome);
  const removed = async () =>
    JSON.parse((await install(project, 'cursor', ['--remove', '--yes', '--json'])).stdout);
  for (const [file, changed] of [
    [mine, true],
    [ofHome, true],
    [mine, false],
  ])
    expect(await removed()).toEqual({ host: 'cursor', file, changed, removed: changed });
  expect([mine, real].map((file) => entryIn('cursor', fs.readFileSync(file, 'utf8')))).toEqual([
    undefined,
    undefined,
  ]);
});

test('whether git ignores a file in the project is said with the paths in it that hold on this machine alone', async () => {
  const project = bareProject();
  const said = async (PATH = process.env['PATH']) => {
    const { stderr } = await install(project, 'cursor', [], { ...YES, answer: false, env: { PATH } });
    return stderr.slice(0, stderr.indexOf('Write this'));
  };
  const machine =
    'zwarm: no zwarm of this installation is on your PATH, so the file gets absolute paths, which hold on this machine alone\n';
  expect(await said()).toBe(machine);
  git(project.directory, 'init', '-q');
  expect(await said()).toBe(
    `${machine}zwarm: git does not ignore the file: whoever gets your commits gets it, too\n`,
  );
  const bin = join(project.base, 'bin');
  fs.mkdirSync(bin);
  fs.symlinkSync(ZWARM, join(bin, 'zwarm'));
  const named = `${bin}:${process.env['PATH']}`;
  expect(await said(named)).toBe('git does not ignore the file: whoever gets your commits gets it, too\n');
  place(join(project.directory, '.gitignore'), '.cursor/\n');
  expect(await said()).toBe(`${machine}zwarm: git ignores the file: it is for you alone\n`);
  expect(await said(named)).toBe('git ignores the file: it is for you alone\n');
});

test("a user's own link is followed, and what it leads to is replaced", async () => {
  const project = bareProject();
  const file = fileOf(project, 'codex');
  const real = join(project.base, 'dotfiles', 'codex.toml');
  place(real, mineOf('codex'));
  fs.mkdirSync(dirname(file));
  fs.symlinkSync(real, file);
  const { stdout } = await install(project, 'codex', ['--yes']);
  expect(stdout.split('\n')[0]).toBe(`${file} -> ${real}`);
  expect(fs.readlinkSync(file)).toBe(real);
  expect(readEntry(project, 'codex')).toBeDefined();
});

/** Neither put nor taken, with what to do instead. */
async function expectRefusal(project: Project, host: Host, code: number, message: RegExp): Promise<void> {
  for (const args of [['--yes'], ['--yes', '--remove']]) {
    const { stderr, ...rest } = await install(project, host, args);
    expect(rest).toEqual({ code, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(new RegExp(`\nhint: .*zwarm mcp install --host ${host} --print\n$`));
  }
}

test.each([
  ['claude', '.mcp.json', 'mcp.json'],
  ['cursor', '.cursor', ''],
  ['vscode', '.vscode', ''],
] as const)('a link in a project in the place of what %s reads is refused', async (host, link, target) => {
  const project = bareProject();
  place(join(project.base, 'home/mine/mcp.json'), mineOf(host));
  fs.symlinkSync(join(project.base, 'home/mine', target), join(project.directory, link));
  const before = snapshot(project.base);
  await expectRefusal(project, host, 1, /mcp\.json cannot be read: it is behind a symbolic link/);
  expect(snapshot(project.base)).toEqual(before);
});

test.each<[string, (file: string) => void, number, RegExp]>([
  ['a link that leads nowhere', (file) => fs.symlinkSync('/no/where', file), 1, /no such file/],
  ['a FIFO', (file) => execFileSync('mkfifo', [file]), 1, /not a regular file/],
  ['bytes that are no text', (file) => place(file, Uint8Array.of(0x61, 0xff)), 1, /not valid/],
  ['no TOML', (file) => place(file, 'a = 1\nb\n'), 2, /config\.toml: line 2, column 2 is not valid/],
])("%s in the place of a host's file is refused, and nothing changes", async (_, make, code, message) => {
  const project = bareProject();
  const file = fileOf(project, 'codex');
  fs.mkdirSync(dirname(file));
  make(file);
  const state = () => [fs.readdirSync(dirname(file)), fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs];
  const before = state();
  await expectRefusal(project, 'codex', code, message);
  expect(state()).toEqual(before);
});

testAsRoot('a file of another user is left to that one', async () => {
  const project = bareProject();
  const file = fileOf(project, 'gemini');
  place(file, mineOf('gemini'));
  fs.chownSync(file, 65_534, 65_534);
  await expectRefusal(project, 'gemini', 5, /settings\.json belongs to .* \(uid 65534\)/);
  expect(fs.readFileSync(file, 'utf8')).toBe(mineOf('gemini'));
});

test('a file that somebody else has changed in the meantime is left as it is', async () => {
  const project = bareProject();
  const file = fileOf(project, 'codex');
  // The change comes while the question stands: for a file that was not there, then for one that was.
  for (const meanwhile of ['a = 2\n', 'a = 3\n']) {
    const onStdout = () => place(file, meanwhile);
    const screen = await install(project, 'codex', [], { ...YES, onStdout });
    expect(screen).toMatchObject({ code: 1, stderr: expect.stringContaining('in the meantime') });
    expect(fs.readFileSync(file, 'utf8')).toBe(meanwhile);
    expect(fs.readdirSync(dirname(file))).toEqual(['config.toml']);
  }
});

test('what a file holds cannot drive the terminal', async () => {
  const project = bareProject();
  place(fileOf(project, 'claude'), '{\n  "mcpServers": {\n    "\u009b2J\u202e": {}\n  }\n}\n');
  const { stdout } = await install(project, 'claude', ['--yes']);
  expect(stdout).toContain('\\x9b2J\\u202e');
});
