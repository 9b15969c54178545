import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
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
  test('the exit code of the agent is recorded, whichever it is', async () => {
    for (const code of [0, 1, 42, 126, 127, 255]) {
      const turn = createTurn();
      await turn.run([program(turn, `cat > "in"; echo out; echo err >&2; exit ${code}`)], { shell });
      expect(turn.exit()).toMatchObject({ code, why: null, cancelled: false, events_bytes: 4 });
      expect([turn.file('events.jsonl'), turn.file('stderr.log')]).toEqual(['out\n', 'err\n']);
      expect(readFileSync(join(turn.work, 'in'), 'utf8')).toBe('hello\n');
    }
  });

  test('death by a signal is 128 and its number', async () => {
    for (const [name, code] of [
      ['KILL', 137],
      ['TERM', 143],
      ['HUP', 129],
      ['INT', 130],
    ] as const) {
      const turn = createTurn();
      await turn.run([program(turn, `kill -${name} $$; sleep 60`)], { shell });
      expect(turn.exit().code).toBe(code);
    }
  });

  test('arguments arrive as they are', async () => {
    const turn = createTurn();
    const argv = [
      '',
      'a b',
      '--',
      '-n',
      'two\nlines\n',
      '\'"`$(touch pwned)\\',
      '*',
      'ü😀',
      'x'.repeat(100_000),
    ];
    const agent = [
      process.execPath,
      '-e',
      'console.log(JSON.stringify(process.argv.slice(1)))',
      '--',
      ...argv,
    ];
    await turn.run(agent, { shell });
    expect(JSON.parse(turn.file('events.jsonl'))).toEqual(argv);
    expect(readdirSync(turn.work)).toEqual([]);
  });

  test('it says who it is, before the agent runs', async () => {
    const turn = createTurn();
    let spawned = 0;
    await turn.run([program(turn, `cp "${turn.directory}/runner.stat" seen; ls "${turn.directory}"`)], {
      shell,
      onSpawn: (pid) => {
        spawned = pid;
      },
    });
    const { identity, uptime } = parseRunnerStat(turn.file('runner.stat'));
    const { host, boot_id, pid_ns, uid } = ownIdentity();
    expect(identity).toEqual({
      host,
      boot_id,
      pid_ns,
      uid,
      pid: spawned,
      start: expect.stringMatching(/^\d+$/),
    });
    expect(uptime).toBeGreaterThan(0);
    expect(readFileSync(join(turn.work, 'seen'), 'utf8')).toBe(turn.file('runner.stat'));
    expect(turn.file('events.jsonl')).not.toContain('exit.json');
  });

  test.each(['TERM', 'INT', 'HUP', 'QUIT', 'USR1'] as const)(
    'SIG%s to the runner alone loses nothing: the agent goes on and its end is recorded',
    async (name) => {
      const turn = createTurn();
      let pid = 0;
      const agent = program(turn, 'echo started; while ! [ -e go ]; do sleep 0.02; done; echo ended; exit 7');
      const ended = turn.run([agent], {
        shell,
        onSpawn: (spawned) => {
          pid = spawned;
        },
      });
      await eventually('the agent runs', () => turn.file('events.jsonl') !== '');
      process.kill(pid, `SIG${name}`);
      writeFileSync(join(turn.work, 'go'), '');
      await ended;
      expect(turn.exit()).toMatchObject({ code: 7, events_bytes: 14 });
    },
  );

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
    expect(readdirSync(turn.directory).sort()).toEqual(
      ['events.jsonl', 'exit.json', 'prompt.md', 'runner.stat', 'stderr.log'].sort(),
    );
  });
});

describe('nothing runs', () => {
  test.each<[string, string, (turn: Turn) => { argv: string[]; options?: RunOptions }]>([
    [
      'when it was cancelled before',
      'cancelled',
      (turn) => {
        writeFileSync(join(turn.directory, 'cancel.json'), '{}');
        return { argv: ['/bin/echo', 'ran'] };
      },
    ],
    [
      'in a missing directory',
      'no_working_dir',
      () => ({ argv: ['/bin/echo'], options: { directory: '/no/where' } }),
    ],
    [
      'where a link has taken the place of the directory',
      'no_working_dir',
      (turn) => {
        renameSync(turn.work, `${turn.work} moved`);
        symlinkSync(`${turn.work} moved`, turn.work);
        return { argv: ['/bin/echo', 'ran'] };
      },
    ],
    [
      'where a link has taken the place of a directory above it',
      'no_working_dir',
      (turn) => {
        mkdirSync(join(turn.work, 'in'));
        renameSync(turn.work, `${turn.work} moved`);
        symlinkSync(`${turn.work} moved`, turn.work);
        return { argv: ['/bin/echo', 'ran'], options: { directory: join(turn.work, 'in') } };
      },
    ],
    [
      'in a file',
      'no_working_dir',
      (turn) => ({ argv: ['/bin/echo'], options: { directory: join(turn.directory, 'prompt.md') } }),
    ],
    ['without the program', 'no_agent', () => ({ argv: ['/no/such/program'] })],
    ['when the program is a directory', 'no_agent', (turn) => ({ argv: [turn.work] })],
    ['when it may not be executed', 'no_agent', (turn) => ({ argv: [join(turn.directory, 'prompt.md')] })],
    [
      'without its input',
      'not_launched',
      () => ({ argv: ['/bin/echo', 'ran'], options: { input: 'input.md' } }),
    ],
  ])('%s', async (_, why, prepare) => {
    const turn = createTurn();
    const { argv, options } = prepare(turn);
    await turn.run(argv, options);
    expect(turn.exit()).toEqual({
      v: 1,
      code: null,
      why,
      detail: null,
      cancelled: why === 'cancelled',
      uptime: expect.any(Number),
      ended_at: null,
      events_bytes: null,
    });
    expect(turn.file('events.jsonl')).toBe('');
  });
});

test.each(['json', 'kill', 'interrupt', 'withdraw', 'dependency', 'limit', 'never-launched'])(
  'a turn is called off by cancel.%s',
  async (suffix) => {
    const turn = createTurn();
    writeFileSync(join(turn.directory, `cancel.${suffix}`), '');
    await turn.run(['/bin/echo', 'ran']);
    expect(turn.exit()).toMatchObject({ code: null, why: 'cancelled', cancelled: true });
  },
);

test('a cancel that comes while the agent runs is in the record', async () => {
  const turn = createTurn();
  await turn.run([program(turn, `echo '{}' > "${turn.directory}/cancel.json"; exit 1`)]);
  expect(turn.exit()).toMatchObject({ code: 1, cancelled: true });
});

test("the agent has the caller's umask and directory, default signals, and no trace of the store", async () => {
  const turn = createTurn();
  const agent = program(
    turn,
    'umask; pwd -P; env | grep -c ^OLDPWD=; grep SigIgn /proc/self/status; tr "\\0" " " < /proc/$$/cmdline',
  );
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
  writeFileSync(
    between,
    `set -T; trap 'case $BASH_COMMAND in printf*) [ -e runner.stat ] || echo other > runner.stat;; esac' DEBUG\n`,
  );
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

test("its own helpers come from the system, the PATH of its agent and of what settles is the caller's", async () => {
  const turn = createTurn();
  const planted = join(turn.work, 'bin');
  mkdirSync(planted);
  for (const name of ['date', 'wc', 'ps']) {
    writeFileSync(join(planted, name), `#!/bin/sh\n: > "${turn.work}/planted"\n`);
    chmodSync(join(planted, name), 0o755);
  }
  const main = join(turn.work, 'main.mjs');
  writeFileSync(main, "import fs from 'node:fs'; fs.writeFileSync('settled', process.env.PATH)");
  const PATH = `${planted}:${process.env['PATH']}`;
  const env = { PATH, ZWARM_NODE: process.execPath, ZWARM_MAIN: main };
  await turn.run([program(turn, 'echo "$PATH"')], { env });
  expect(turn.exit().ended_at).toMatch(/^\d{4}-/);
  expect(turn.exit().events_bytes).toBe(Buffer.byteLength(PATH) + 1);
  expect([turn.file('events.jsonl'), turn.file('settled')]).toEqual([`${PATH}\n`, PATH]);
  expect(existsSync(join(turn.work, 'planted'))).toBe(false);
});

test('its agent bears the mark of the turn, what records and settles its end that of the runner', async () => {
  const turn = createTurn();
  const main = join(turn.work, 'main.mjs');
  writeFileSync(main, "import fs from 'node:fs'; fs.writeFileSync('settled', process.env.ZWARM_MARK)");
  const env = { ZWARM_MARK: 'a.1.x.runner', ZWARM_NODE: process.execPath, ZWARM_MAIN: main };
  await turn.run([program(turn, 'tr "\\0" "\\n" < /proc/$$/environ | grep ZWARM_MARK')], { env });
  expect([turn.file('events.jsonl'), turn.file('settled')]).toEqual(['ZWARM_MARK=a.1.x\n', 'a.1.x.runner']);
});

test('it settles once the end is recorded, in the directory of the turn', async () => {
  const turn = createTurn();
  const main = join(turn.work, 'main.mjs');
  writeFileSync(
    main,
    `import fs from 'node:fs'; fs.writeFileSync('settled', process.argv[2] + fs.readFileSync('exit.json'))`,
  );
  const env = { ZWARM_NODE: process.execPath, ZWARM_MAIN: main };
  expect(await turn.run([program(turn, 'exit 2')], { env })).toBe(0);
  expect(turn.file('settled')).toBe(`settle${turn.file('exit.json')}`);
});
