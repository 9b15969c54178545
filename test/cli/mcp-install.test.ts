import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { testAsRoot } from '../helpers/as-root.ts';
import { onScreen, type Screen, type ScreenOptions } from '../helpers/context.ts';
import { notPrivate } from '../helpers/modes.ts';
import { createProject, type Project, ZWARM } from '../helpers/project.ts';
import { snapshot } from '../helpers/tree.ts';

const HOSTS = ['codex', 'claude', 'cursor', 'opencode', 'gemini', 'qwen', 'vscode'] as const;
type Host = (typeof HOSTS)[number];

/** The hosts whose file can say that nobody is asked. */
const CAN_TRUST: readonly Host[] = ['codex', 'gemini', 'qwen'];

/** A project whose PATH has nothing on it. */
function bareProject(): Project {
  const project = createProject();
  project.env['PATH'] = '/nowhere';
  return project;
}

function fileOf({ base, directory }: Project, host: Host): string {
  const home = join(base, 'home');
  return {
    codex: join(home, '.codex', 'config.toml'),
    claude: join(directory, '.mcp.json'),
    cursor: join(home, '.cursor', 'mcp.json'),
    opencode: join(home, '.config', 'opencode', 'opencode.json'),
    gemini: join(home, '.gemini', 'settings.json'),
    qwen: join(home, '.qwen', 'settings.json'),
    vscode: join(directory, '.vscode', 'mcp.json'),
  }[host];
}

function install(
  project: Project,
  host: Host,
  args: readonly string[],
  options?: ScreenOptions,
): Promise<Screen> {
  return onScreen(project, ['mcp', 'install', '--host', host, ...args], options);
}

const SERVERS: Partial<Record<Host, string>> = { codex: 'mcp_servers', opencode: 'mcp', vscode: 'servers' };

/** What a host's file says of our server. */
function entryIn(host: Host, text: string): Record<string, unknown> | undefined {
  const document = host === 'codex' ? parse(text) : JSON.parse(text);
  return document[SERVERS[host] ?? 'mcpServers']?.zwarm;
}

const readEntry = (project: Project, host: Host) =>
  entryIn(host, readFileSync(fileOf(project, host), 'utf8'));

/** A host's file with a server of the user's. */
function mineOf(host: Host): string {
  if (host === 'codex') return 'model = "m" # mine\n\n[mcp_servers.mine]\ncommand = "mine"\n';
  return `{\n    "${SERVERS[host] ?? 'mcpServers'}": {\n        "mine": {"command": "mine"}\n    }\n}\n`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const YES: ScreenOptions = { tty: true, answer: true };

test.each(HOSTS)('%s: a new file is shown, asked for and written, for its user alone', async (host) => {
  const project = bareProject();
  const file = fileOf(project, host);
  const screen = await install(project, host, [], { ...YES, env: { NO_COLOR: '1' } });
  expect(screen.code).toBe(0);
  expect(screen.stderr).toContain(`Write this to ${file}?\n`);
  const text = readFileSync(file, 'utf8');
  const shown = text
    .split('\n')
    .slice(0, -1)
    .map((line) => `+ ${line}\n`)
    .join('');
  expect(screen.stdout).toBe(`${file}\n${shown}`);
  expect(notPrivate(file)).toEqual([]);
  if (host !== 'claude') expect(notPrivate(dirname(file))).toEqual([]);
  expect(readEntry(project, host)).toMatchObject(
    host === 'opencode'
      ? { type: 'local', command: [process.execPath, ZWARM, 'mcp'] }
      : { command: process.execPath, args: [ZWARM, 'mcp'] },
  );
});

test.each(HOSTS)(
  '%s: what was there stays as it was, and removal gives it back to the byte',
  async (host) => {
    const project = bareProject();
    const file = fileOf(project, host);
    write(file, mineOf(host));
    chmodSync(file, 0o640);
    const shown = await install(project, host, [], YES);
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stdout).toContain('mine');
    expect(readEntry(project, host)).toHaveProperty('command');
    expect(statSync(file).mode & 0o777).toBe(0o640);

    const again = await install(project, host, []);
    expect(again).toMatchObject({ code: 0, stdout: `${file}: already there\n` });

    const removed = await install(project, host, ['--remove'], YES);
    expect(removed.code).toBe(0);
    expect(removed.stdout).toContain('zwarm');
    expect(removed.stdout).not.toContain('+ [');
    expect(readFileSync(file, 'utf8')).toBe(mineOf(host));
    const nothing = await install(project, host, ['--remove']);
    expect(nothing).toEqual({ code: 0, stdout: `${file}: nothing to remove\n`, stderr: '' });
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith('.zwarm'))).toEqual([]);
  },
);

test.each(HOSTS)('%s: --print prints what would be written, and changes nothing', async (host) => {
  const project = bareProject();
  const before = snapshot(project.base);
  const { code, stdout } = await install(project, host, ['--print']);
  expect(code).toBe(0);
  expect(snapshot(project.base)).toEqual(before);
  await install(project, host, ['--yes']);
  expect(readFileSync(fileOf(project, host), 'utf8')).toBe(stdout);
});

test('each host is told what it needs: limits, waits, and what is passed on', async () => {
  const project = bareProject();
  const entry = async (host: Host) => entryIn(host, (await install(project, host, ['--print'])).stdout);
  const codex = await entry('codex');
  expect(codex).toMatchObject({
    required: true,
    startup_timeout_sec: 20,
    tool_timeout_sec: 1800,
    supports_parallel_tool_calls: true,
    env: { ZWARM_WAIT_SEC: '1500' },
    env_vars: expect.arrayContaining([
      'ZWARM_SESSION_ID',
      'ZWARM_MARK',
      'CODEX_HOME',
      'OPENAI_API_KEY',
      'no_proxy',
    ]),
  });
  // Codex asks before it calls what does not only look.
  expect(codex).not.toHaveProperty('default_tools_approval_mode');
  const command = { command: process.execPath, args: [ZWARM, 'mcp'] };
  const env = { ZWARM_WAIT_SEC: '1500' };
  expect(await entry('claude')).toEqual({ type: 'stdio', ...command, env });
  for (const host of ['cursor', 'vscode'] as const)
    expect(await entry(host)).toEqual({ type: 'stdio', ...command });
  for (const host of ['gemini', 'qwen'] as const)
    expect(await entry(host)).toEqual({ ...command, timeout: 1_800_000, env });
  expect(await entry('opencode')).toEqual({
    type: 'local',
    command: [process.execPath, ZWARM, 'mcp'],
    enabled: true,
  });
});

test('--unattended lets the model have agents work, says what that means, and is taken back without it', async () => {
  const project = bareProject();
  const file = fileOf(project, 'codex');
  // The user's own, in the table of a tool.
  const tool = '[mcp_servers.zwarm.tools.end_session]\napproval_mode = "prompt"\n';
  write(file, `${mineOf('codex')}\n${tool}`);
  await install(project, 'codex', ['--yes']);
  const attended = readFileSync(file, 'utf8');
  expect(attended).not.toContain('"approve"');

  const given = await install(project, 'codex', ['--unattended', '--yes']);
  expect(given).toMatchObject({ code: 0 });
  expect(given.stdout).toContain('+ default_tools_approval_mode = "approve"\n');
  expect(given.stderr).toContain(
    'zwarm: with --unattended the model starts, continues and ends agents without asking you, and they may write in ' +
      'your projects even where the model itself may only read\n',
  );
  expect(readEntry(project, 'codex')).toMatchObject({ default_tools_approval_mode: 'approve' });
  expect(readFileSync(file, 'utf8')).toContain(tool);

  const taken = await install(project, 'codex', ['--yes']);
  expect(taken.stdout).toContain('- default_tools_approval_mode = "approve"\n');
  expect(taken.stderr).not.toContain('--unattended the model');
  expect(readFileSync(file, 'utf8')).toBe(attended);

  await install(project, 'codex', ['--unattended', '--yes']);
  await install(project, 'codex', ['--remove', '--yes']);
  expect(readFileSync(file, 'utf8')).toBe(mineOf('codex'));
});

test.each(HOSTS)('%s: --unattended is written where the file can say it, and else refused', async (host) => {
  const project = bareProject();
  const before = snapshot(project.base);
  const { code, stdout, stderr } = await install(project, host, ['--unattended', '--print']);
  if (CAN_TRUST.includes(host)) {
    expect(stderr).toContain('without asking you');
    const trust = host === 'codex' ? { default_tools_approval_mode: 'approve' } : { trust: true };
    expect(entryIn(host, stdout)).toMatchObject(trust);
  } else {
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(`^zwarm: --unattended cannot be written into the file of ${host}\nhint: leave it out; `),
    );
  }
  expect(snapshot(project.base)).toEqual(before);
});

test('opencode asks nobody by itself, and the user is told before agreeing', async () => {
  const { code, stderr } = await install(bareProject(), 'opencode', [], { tty: true, answer: false });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^zwarm: opencode does not ask .*"permission".*\nWrite this to /);
});

test('a zwarm on the PATH is called by its name, unless it is another one or only npm put it there', async () => {
  const project = bareProject();
  const put = (directory: string): string => {
    mkdirSync(join(project.base, directory), { recursive: true });
    symlinkSync(ZWARM, join(project.base, directory, 'zwarm'));
    return join(project.base, directory);
  };
  const entry = async (PATH: string) => {
    const { stdout, stderr } = await install(project, 'claude', ['--print'], { env: { PATH } });
    expect(stderr.includes('this machine alone')).toBe(!stdout.includes('"command": "zwarm"'));
    return entryIn('claude', stdout);
  };
  const absolute = { command: process.execPath, args: [ZWARM, 'mcp'] };
  expect(await entry(`/nowhere:${put('bin')}`)).toMatchObject({ command: 'zwarm', args: ['mcp'] });
  expect(await entry(put('node_modules/.bin'))).toMatchObject(absolute);
  expect(await entry('bin')).toMatchObject(absolute);
  const other = join(project.base, 'other');
  write(join(other, 'zwarm'), '#!/bin/sh\n');
  chmodSync(join(other, 'zwarm'), 0o755);
  expect(await entry(`${other}:${join(project.base, 'bin')}`)).toMatchObject(absolute);
});

test('a file in a project lies at the root of the checkout, one of the user where a variable says', async () => {
  const project = bareProject();
  mkdirSync(join(project.directory, '.git'));
  writeFileSync(join(project.directory, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const inner = join(project.directory, 'a', 'b');
  mkdirSync(inner, { recursive: true });
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
    expect(entryIn(host, readFileSync(join(home, file), 'utf8'))).toBeDefined();
    const relative = await install(project, host, ['--yes'], { env: { [variable]: 'relative' } });
    expect(relative).toMatchObject({ code: 2, stderr: expect.stringContaining(variable) });
  }
  for (const host of ['codex', 'cursor'] as const)
    expect((await install(project, host, ['--yes'], { env: { HOME: undefined } })).code).toBe(2);
});

test('opencode: the file that is there is edited, comments or not', async () => {
  const project = bareProject();
  const file = `${fileOf(project, 'opencode')}c`;
  write(file, '{\n  // mine\n  "theme": "x",\n}\n');
  expect((await install(project, 'opencode', ['--yes'])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toMatch(
    /^{\n {2}\/\/ mine\n {2}"theme": "x",\n {2}"mcp": {\n {4}"zwarm": {/,
  );
  expect(existsSync(fileOf(project, 'opencode'))).toBe(false);
});

test('the answer no, or nobody to ask, changes nothing', async () => {
  const project = bareProject();
  write(fileOf(project, 'codex'), mineOf('codex'));
  const before = snapshot(project.base);
  const no = await install(project, 'codex', [], { tty: true, answer: false });
  expect(no.code).toBe(1);
  expect(no.stderr).toMatch(/zwarm: nothing was changed\n$/);
  const json = await install(project, 'codex', ['--json'], { tty: true, answer: false });
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toEqual({
    host: 'codex',
    file: fileOf(project, 'codex'),
    changed: false,
    removed: false,
  });
  for (const options of [{}, { tty: true, stdin: 'y\n' }]) {
    const nobody = await install(project, 'codex', [], options);
    expect(nobody).toMatchObject({ code: 2, stdout: expect.stringContaining('[mcp_servers.zwarm]') });
    expect(nobody.stderr).toBe('zwarm: there is no terminal to ask on\nhint: say yes beforehand: --yes\n');
  }
  expect(snapshot(project.base)).toEqual(before);
});

test('--json prints the result alone on stdout', async () => {
  const project = bareProject();
  const file = fileOf(project, 'cursor');
  const results = [];
  for (const args of [[], [], ['--remove'], ['--remove']]) {
    const { code, stdout } = await install(project, 'cursor', ['--yes', '--json', ...args]);
    expect(code).toBe(0);
    results.push(JSON.parse(stdout));
  }
  expect(results).toEqual([
    { host: 'cursor', file, changed: true, removed: false },
    { host: 'cursor', file, changed: false, removed: false },
    { host: 'cursor', file, changed: true, removed: true },
    { host: 'cursor', file, changed: false, removed: false },
  ]);
});

test('an agent may see what would be written, and write nothing', async () => {
  const project = bareProject();
  const env = { ZWARM_SESSION_ID: 'mcpagent22' };
  const before = snapshot(project.base);
  for (const args of [['--yes'], ['--yes', '--remove'], ['--yes', '--json']]) {
    const { code, stdout, stderr } = await install(project, 'codex', args, { env });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('zwarm mcp install --host codex --print');
  }
  expect(snapshot(project.base)).toEqual(before);
  expect((await install(project, 'codex', ['--print'], { env })).code).toBe(0);
});

test('a link is followed, and what it leads to is replaced', async () => {
  const project = bareProject();
  const file = fileOf(project, 'codex');
  const real = join(project.base, 'dotfiles', 'codex.toml');
  write(real, mineOf('codex'));
  mkdirSync(dirname(file));
  symlinkSync(real, file);
  const { code, stdout } = await install(project, 'codex', ['--yes']);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^${file} -> ${real}\n`));
  expect(readlinkSync(file)).toBe(real);
  expect(readEntry(project, 'codex')).toBeDefined();
  expect(readdirSync(dirname(real))).toEqual(['codex.toml']);
});

test.each([
  ['its file', 'claude', '.mcp.json'],
  ['its file', 'vscode', '.vscode/mcp.json'],
  ['its directory', 'vscode', '.vscode'],
] as const)('a link in a project in the place of %s of %s is refused', async (_what, host, link) => {
  const project = bareProject();
  const mine = join(project.base, 'home', 'mine');
  const planted = join(project.directory, link);
  if (link.endsWith('json')) write(mine, mineOf(host));
  else mkdirSync(mine);
  mkdirSync(dirname(planted), { recursive: true });
  for (const target of [mine, join(project.base, 'home', 'new')]) {
    symlinkSync(target, planted);
    const before = snapshot(project.base);
    for (const args of [['--yes'], ['--yes', '--remove']]) {
      const { code, stdout, stderr } = await install(project, host, args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/mcp\.json cannot be read: it is behind a symbolic link.*\nhint: .*--print\n$/);
    }
    expect(snapshot(project.base)).toEqual(before);
    unlinkSync(planted);
  }
});

/** What may stand in the place of a host's file; the code of the error and what it says. */
const UNFIT: readonly (readonly [string, (file: string) => void, number, RegExp])[] = [
  ['a link that leads nowhere', (file) => symlinkSync('/no/where', file), 1, /no such file/],
  ['a directory', (file) => mkdirSync(file), 1, /not a regular file/],
  ['a FIFO', (file) => execFileSync('mkfifo', [file]), 1, /not a regular file/],
  ['a link to a device', (file) => symlinkSync('/dev/null', file), 1, /not a regular file/],
  ['bytes that are no text', (file) => writeFileSync(file, Buffer.from([0x61, 0xff])), 1, /not valid/],
  [
    'no TOML',
    (file) => writeFileSync(file, 'a = 1\nb\n'),
    2,
    /config\.toml: line 2, column 2 is not valid TOML/,
  ],
  [
    'a form that is not edited',
    (file) => writeFileSync(file, 'mcp_servers = { zwarm = {} }\n'),
    2,
    /cannot edit mcp_servers\.zwarm/,
  ],
];

test.each(UNFIT)('%s is refused, and nothing changes', async (_what, make, expected, message) => {
  const project = bareProject();
  const file = fileOf(project, 'codex');
  mkdirSync(dirname(file));
  make(file);
  const before = readdirSync(dirname(file));
  const stat = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  for (const args of [['--yes'], ['--yes', '--remove']]) {
    const { code, stdout, stderr } = await install(project, 'codex', args);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr.split('\n')[0]).toMatch(message);
    expect(stderr).toMatch(/\nhint: .*zwarm mcp install --host codex --print\n$/);
  }
  expect(readdirSync(dirname(file))).toEqual(before);
  expect(statSync(file, { throwIfNoEntry: false })?.mtimeMs).toBe(stat);
});

testAsRoot('a file of another user is left to that one', async () => {
  const project = bareProject();
  const file = fileOf(project, 'cursor');
  write(file, mineOf('cursor'));
  chownSync(file, 65_534, 65_534);
  const { code, stderr } = await install(project, 'cursor', ['--yes']);
  expect(code).toBe(1);
  expect(stderr).toContain('belongs to another user');
  expect(readFileSync(file, 'utf8')).toBe(mineOf('cursor'));
});

test('a file that somebody else has changed in the meantime is left as it is', async () => {
  const project = bareProject();
  const file = fileOf(project, 'codex');
  for (const meanwhile of ['a = 2\n', 'a = 3\n']) {
    // The change comes while the question stands: for a file that was there, and for one that was not.
    const { code, stderr } = await install(project, 'codex', [], {
      ...YES,
      onStdout: () => write(file, meanwhile),
    });
    expect(code).toBe(1);
    expect(stderr).toContain('was changed in the meantime');
    expect(readFileSync(file, 'utf8')).toBe(meanwhile);
    expect(readdirSync(dirname(file))).toEqual(['config.toml']);
  }
});

test('a host must be named, and be one that we know', async () => {
  const project = bareProject();
  for (const [args, message, hint] of [
    [[], 'which host?', `choose with --host one of: ${HOSTS.join(', ')}`],
    [['--host', 'claud'], 'unknown host "claud"', `did you mean claude? choose one of: ${HOSTS.join(', ')}`],
    [['--host', 'vim'], 'unknown host "vim"', `choose one of: ${HOSTS.join(', ')}`],
  ] as const) {
    const screen = await onScreen(project, ['mcp', 'install', ...args]);
    expect(screen).toEqual({ code: 2, stdout: '', stderr: `zwarm: ${message}\nhint: ${hint}\n` });
  }
  for (const args of [
    ['--print', '--remove'],
    ['--unattended', '--remove'],
    ['--no-such'],
    ['too', 'many'],
  ]) {
    const { code, stderr } = await install(project, 'codex', args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/\nhint: see zwarm mcp install --help\n$/);
  }
});

test('what a file holds cannot drive the terminal', async () => {
  const project = bareProject();
  write(fileOf(project, 'claude'), '{\n  "mcpServers": {\n    "\u009b2J\u202e": {}\n  }\n}\n');
  const { stdout } = await install(project, 'claude', ['--yes']);
  expect(stdout).toContain('\\x9b2J\\u202e');
});
