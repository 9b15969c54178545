import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownIdentity } from '../../../src/process/identity.ts';
import { parseRunnerStat } from '../../../src/store/records.ts';
import { eventually } from '../../helpers/project.ts';
import { createTurn, program, type RunOptions, type Turn } from '../../helpers/turn.ts';

const SHELLS: readonly (readonly string[])[] = [
  ['/bin/sh'],
  ['/bin/dash'],
  ['/bin/bash'],
  ['/bin/bash', '--posix'],
  ['/bin/busybox', 'sh'],
].filter(([path]) => existsSync(path ?? ''));

describe.each(SHELLS.map((shell) => ({ shell, name: shell.join(' ') })))('in $name', ({ shell }) => {
  test('the exit code of the agent is recorded, whichever it is; death by a signal is 128 and its number', async () => {
    for (const [end, code] of [
      ...[0, 1, 42, 126, 127, 255].map((exit) => [`exit ${exit}`, exit] as const),
      ...[9, 15, 1, 2].map((signal) => [`kill -${signal} $$; sleep 60`, 128 + signal] as const),
    ]) {
      const turn = createTurn();
      await turn.run([program(turn, `cat > "in"; echo out; echo err >&2; ${end}`)], { shell });
      expect(turn.exit()).toMatchObject({ code, why: null, cancelled: false, events_bytes: 4 });
      expect(['events.jsonl', 'stderr.log'].map(turn.file)).toEqual(['out\n', 'err\n']);
      expect(readFileSync(join(turn.work, 'in'), 'utf8')).toBe('hello\n');
    }
  });

  test('it records when it began and ended by the clock of the boot, and the end in UTC wherever it runs', async () => {
    const turn = createTurn();
    const before = Date.now();
    await turn.run([program(turn, 'sleep 0.05')], { shell, env: { TZ: 'JST-9' } });
    const { uptime: ended, ended_at } = turn.exit();
    const { uptime: began } = parseRunnerStat(turn.file('runner.stat'));
    if (existsSync('/proc/uptime')) expect(ended).toBeGreaterThan(began ?? Number.POSITIVE_INFINITY);
    // Whole seconds.
    expect(Date.parse(ended_at ?? '')).toBeGreaterThanOrEqual(before - 1000);
    expect(Date.parse(ended_at ?? '')).toBeLessThanOrEqual(Date.now());
  });

  test('arguments arrive as they are', async () => {
    const turn = createTurn();
    const odd = ['', 'a b', '--', '-n', 'two\nlines\n', '\'"`$(touch pwned)\\', '*', 'ü😀'];
    const argv = [...odd, 'x'.repeat(100_000)];
    const print = 'console.log(JSON.stringify(process.argv.slice(1)))';
    await turn.run([process.execPath, '-e', print, '--', ...argv], { shell });
    expect(JSON.parse(turn.file('events.jsonl'))).toEqual(argv);
    expect(readdirSync(turn.work)).toEqual([]);
  });

  test('it says who it is, before the agent runs', async () => {
    const turn = createTurn();
    const pids: number[] = [];
    const agent = program(turn, `cp "${turn.directory}/runner.stat" seen; ls "${turn.directory}"`);
    await turn.run([agent], { shell, onSpawn: (pid) => pids.push(pid) });
    const { identity, uptime } = parseRunnerStat(turn.file('runner.stat'));
    expect(identity).toEqual({ ...ownIdentity(), pid: pids[0], start: expect.stringMatching(/^\d+$/) });
    expect(uptime).toBeGreaterThan(0);
    expect(readFileSync(join(turn.work, 'seen'), 'utf8')).toBe(turn.file('runner.stat'));
    expect(turn.file('events.jsonl')).not.toContain('exit.json');
  });

  test('no signal but KILL to the runner loses anything: the agent goes on and its end is recorded', async () => {
    const turn = createTurn();
    const pids: number[] = [];
    const agent = program(turn, 'echo started; while ! [ -e go ]; do sleep 0.02; done; echo ended; exit 7');
    const ended = turn.run([agent], { shell, onSpawn: (pid) => pids.push(pid) });
    await eventually('the agent runs', () => turn.file('events.jsonl') !== '');
    for (const name of ['TERM', 'INT', 'HUP', 'QUIT', 'USR1', 'USR2', 'ALRM'])
      process.kill(pids[0] ?? 0, `SIG${name}`);
    writeFileSync(join(turn.work, 'go'), '');
    await ended;
    expect(turn.exit()).toMatchObject({ code: 7, events_bytes: 14 });
  });

  test('it forks nothing before its agent, which would be taken for one', async () => {
    const turn = createTurn();
    // Faults of children that were waited for: none has been yet.
    const agent = program(turn, "read -r stat < /proc/$PPID/stat; IFS=')'; set -- $stat; echo $2");
    await turn.run([agent], { shell });
    const [, ppid, ...fields] = turn.file('events.jsonl').trim().split(' ');
    expect(ppid).toBe(String(process.pid));
    expect(fields[6]).toBe('0');
  });

  test('six runners at once: one runs the agent, the others leave silently', async () => {
    const turn = createTurn();
    const agent = program(turn, 'echo $$; exit 3');
    const codes = await Promise.all(Array.from({ length: 6 }, () => turn.run([agent], { shell })));
    expect(turn.file('events.jsonl').trimEnd().split('\n')).toHaveLength(1);
    expect(turn.exit().code).toBe(3);
    expect(codes).toHaveLength(6);
    const files = ['events.jsonl', 'exit.json', 'prompt.md', 'runner.stat', 'stderr.log'];
    expect(readdirSync(turn.directory).sort()).toEqual(files);
  });
});

type Prepared = RunOptions & { readonly argv?: readonly string[] };

/** Puts a link in the place of the directory. */
function moved(turn: Turn, below = ''): Prepared {
  mkdirSync(join(turn.work, below), { recursive: true });
  renameSync(turn.work, `${turn.work} moved`);
  symlinkSync(`${turn.work} moved`, turn.work);
  return { directory: join(turn.work, below) };
}

const SUFFIXES = ['json', 'kill', 'interrupt', 'withdraw', 'dependency', 'limit', 'never-launched'];

test.each<[string, string, (turn: Turn) => Prepared | undefined]>([
  ['in a missing directory', 'no_working_dir', () => ({ directory: '/no/where' })],
  ['where a link took the place of the directory', 'no_working_dir', (turn) => moved(turn)],
  ['where a link took the place of one above it', 'no_working_dir', (turn) => moved(turn, 'in')],
  ['in a file', 'no_working_dir', (turn) => ({ directory: join(turn.directory, 'prompt.md') })],
  ['in a program', 'no_working_dir', () => ({ directory: realpathSync(process.execPath) })],
  ['without the program', 'no_agent', () => ({ argv: ['/no/such/program'] })],
  ['when the program is a directory', 'no_agent', (turn) => ({ argv: [turn.work] })],
  ['when it may not be executed', 'no_agent', (turn) => ({ argv: [join(turn.directory, 'prompt.md')] })],
  ['without its input', 'not_launched', () => ({ input: 'input.md' })],
  ...SUFFIXES.map((suffix): [string, string, (turn: Turn) => undefined] => [
    `after cancel.${suffix}`,
    'cancelled',
    (turn) => void writeFileSync(join(turn.directory, `cancel.${suffix}`), ''),
  ]),
])('nothing runs %s', async (_, why, prepare) => {
  const turn = createTurn();
  const { argv = ['/bin/echo', 'ran'], ...options } = prepare(turn) ?? {};
  await turn.run(argv, options);
  const unknown = { detail: null, ended_at: null, events_bytes: null };
  const cancelled = why === 'cancelled';
  expect(turn.exit()).toEqual({ v: 1, code: null, why, cancelled, uptime: expect.any(Number), ...unknown });
  expect(turn.file('events.jsonl')).toBe('');
});

test('a cancel that comes while the agent runs is in the record', async () => {
  const turn = createTurn();
  await turn.run([program(turn, `echo '{}' > "${turn.directory}/cancel.json"; exit 1`)]);
  expect(turn.exit()).toMatchObject({ code: 1, cancelled: true });
});

test("the agent has the caller's umask and directory, default signals, and no trace of the store", async () => {
  const turn = createTurn();
  const look = 'umask; pwd -P; env | grep -c ^OLDPWD=; grep SigIgn /proc/self/status';
  const agent = program(turn, `${look}; tr "\\0" " " < /proc/$$/cmdline`);
  await turn.run([agent, 'x'], { umask: '0027', env: { OLDPWD: '/somewhere', KEEP: 'kept' } });
  const [umask, cwd, old, ignored, cmdline] = turn.file('events.jsonl').split('\n');
  expect({ umask, cwd, old }).toEqual({ umask: '0027', cwd: turn.work, old: '0' });
  expect(ignored).toMatch(/^SigIgn:\s+0{16}$/);
  expect(cmdline).not.toContain(turn.directory);
  for (const name of ['exit.json', 'runner.stat']) {
    expect(statSync(join(turn.directory, name)).mode & 0o777).toBe(0o600);
  }
});

test('what the agent prints is appended byte for byte, also without a last newline', async () => {
  const bytes = Buffer.from([...Array(256).keys(), 0xff, 0xfe]);
  const turn = createTurn(bytes);
  writeFileSync(join(turn.directory, 'events.jsonl'), 'before\n');
  await turn.run(['/bin/cat']);
  const expected = Buffer.concat([Buffer.from('before\n'), bytes]);
  expect(readFileSync(join(turn.directory, 'events.jsonl')).equals(expected)).toBe(true);
  expect(turn.exit().events_bytes).toBe(expected.length);
});

test('an exported SHELLOPTS or ENV of the user does not cost the record', async () => {
  for (const SHELLOPTS of ['errexit', 'errexit:nounset', 'noclobber:xtrace']) {
    const turn = createTurn();
    await turn.run([program(turn, 'exit 9')], { shell: ['/bin/bash'], env: { SHELLOPTS } });
    expect(turn.exit().code).toBe(9);
  }
});

test('what appears between its look and its record is another runner, which it leaves alone', async () => {
  const turn = createTurn();
  const between = join(turn.work, 'between');
  const other = '[ -e runner.stat ] || echo other > runner.stat';
  writeFileSync(between, `set -T; trap 'case $BASH_COMMAND in printf*) ${other};; esac' DEBUG\n`);
  const env = { BASH_ENV: between };
  expect(await turn.run([program(turn, 'echo ran')], { shell: ['/bin/bash'], env })).toBe(0);
  expect([turn.file('runner.stat'), turn.file('events.jsonl')]).toEqual(['other\n', '']);
  expect(existsSync(join(turn.directory, 'exit.json'))).toBe(false);
});

test('where exit.json cannot be written the code survives as a name', async () => {
  const turn = createTurn();
  // A directory in its place stands for a disk that is full.
  mkdirSync(join(turn.directory, 'exit.json'));
  await turn.run([program(turn, 'exit 5')]);
  expect(readdirSync(turn.directory)).toContain('exit.5');
});

/** Lets the runner settle by a program that writes what `settle` evaluates to. */
function settling(turn: Turn, settle: string) {
  const main = join(turn.work, 'main.mjs');
  writeFileSync(main, `import fs from 'node:fs'; fs.writeFileSync('settled', ${settle})`);
  return { ZWARM_NODE: process.execPath, ZWARM_MAIN: main };
}

test("its own helpers come from the system, the PATH of its agent and of what settles is the caller's", async () => {
  const turn = createTurn();
  const planted = join(turn.work, 'bin');
  mkdirSync(planted);
  for (const name of ['date', 'wc', 'ps']) {
    writeFileSync(join(planted, name), `#!/bin/sh\n: > "${turn.work}/planted"\n`);
    chmodSync(join(planted, name), 0o755);
  }
  const PATH = `${planted}:${process.env['PATH']}`;
  await turn.run([program(turn, 'echo "$PATH"')], { env: { PATH, ...settling(turn, 'process.env.PATH') } });
  expect(turn.exit().ended_at).toMatch(/^\d{4}-/);
  expect(turn.exit().events_bytes).toBe(Buffer.byteLength(PATH) + 1);
  expect([turn.file('events.jsonl'), turn.file('settled')]).toEqual([`${PATH}\n`, PATH]);
  expect(existsSync(join(turn.work, 'planted'))).toBe(false);
});

test('once the end is recorded it settles in the directory of the turn; its agent alone bears the mark of the turn', async () => {
  const turn = createTurn();
  const settle = "process.argv[2] + ' ' + process.env.ZWARM_MARK + ' ' + fs.readFileSync('exit.json')";
  const env = { ZWARM_MARK: 'a.1.x.runner', ...settling(turn, settle) };
  const agent = program(turn, 'tr "\\0" "\\n" < /proc/$$/environ | grep ZWARM_MARK; exit 2');
  expect(await turn.run([agent], { env })).toBe(0);
  expect(turn.file('events.jsonl')).toBe('ZWARM_MARK=a.1.x\n');
  expect(turn.file('settled')).toBe(`settle a.1.x.runner ${turn.file('exit.json')}`);
  expect(turn.exit().code).toBe(2);
});
