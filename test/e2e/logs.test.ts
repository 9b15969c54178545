import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createShellProject,
  eventually,
  type Project,
  runProgram,
  watchesFiles,
  ZWARM,
} from '../helpers/project.ts';

/** An event of a command, as Codex prints it. */
function commandEvent(id: string, output: string | null): string {
  const [type, status] = output === null ? ['item.started', 'in_progress'] : ['item.completed', 'completed'];
  const ended = { aggregated_output: output ?? '', exit_code: output === null ? null : 0, status };
  return JSON.stringify({ type, item: { id, type: 'command_execution', command: `run ${id}`, ...ended } });
}

/** Shell for an agent: prints a text as it is, or as a line; waits until the test opens a gate. */
const say = (text: string): string => `printf '%s' '${text}'`;
const line = (text: string): string => `printf '%s\n' '${text}'`;
const gate = (name: string): string => `until [ -e ${name} ]; do sleep 0.01; done`;

function script(project: Project, name: string, ...commands: readonly string[]): string {
  writeFileSync(join(project.directory, name), `${commands.join('\n')}\n`);
  return `run . ./${name}`;
}

const open = (project: Project, name: string): void => writeFileSync(join(project.directory, name), '');

/** `zwarm logs` while it runs in this process. */
function follow(project: Project, ...args: string[]) {
  let shown = '';
  const onStdout = (text: string): void => {
    shown = text;
  };
  return {
    ended: project.zwarm(['logs', ...args], { onStdout }),
    /** What is shown once this is among it. */
    shows: (text: string): Promise<string> =>
      eventually(`${text} is shown`, () => shown.includes(text) && shown),
  };
}

function watched(child: ChildProcess) {
  let shown = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    shown += text;
  });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  return { child, ended, shown: () => shown };
}

/** The built zwarm, following; ready once it waits. */
async function spawnFollower({ directory: cwd, env }: Project, id: string) {
  const args = [ZWARM, 'logs', '-f', id];
  const follower = watched(spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] }));
  await eventually('it follows', () => watchesFiles(follower.child.pid ?? 0));
  return follower;
}

test('what an agent does is shown while it does it: a command as it starts, its output as it ends', async () => {
  const project = createShellProject();
  const cut = commandEvent('c', 'output of c\n');
  const id = await project.begin(
    script(
      project,
      'work',
      line(commandEvent('a', null)),
      gate('one'),
      line(commandEvent('a', 'output of a\n')),
      // In one write with the beginning of a line that comes to its end much later.
      say(`${commandEvent('b', 'output of b\n')}\n${cut.slice(0, 60)}`),
      gate('two'),
      line(cut.slice(60)),
    ),
  );
  const { ended, shows } = follow(project, '-f', id);
  expect(await shows('$ run a')).toContain('[running]');
  open(project, 'one');
  const shown = await shows('output of b');
  expect(shown).toContain('    output of a');
  expect(shown).not.toContain('run c');
  open(project, 'two');
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.slice(stdout.indexOf('\n'))).toMatchInlineSnapshot(`
    "
      $ run a [running]
      $ run a [exit 0]
        output of a
      $ run b [exit 0]
        output of b
      $ run c [exit 0]
        output of c
      done
    "
  `);
});

test('a step that changes is printed again as JSON with the same numbers, and so is one that was interrupted', async () => {
  const project = createShellProject();
  const [a, b] = [line(commandEvent('a', null)), line(commandEvent('b', null))];
  const work = [a, b, gate('one'), line(commandEvent('b', '')), gate('two'), 'exit 3'];
  const id = await project.begin(script(project, 'work', ...work));
  const { ended, shows } = follow(project, '-f', '--json', id);
  await shows('run b');
  open(project, 'one');
  await shows('completed');
  open(project, 'two');
  const lines = (await ended).stdout.trimEnd().split('\n');
  const steps = lines.map((text) => JSON.parse(text));
  expect(steps.map(({ turn, step, command, status }) => [turn, step, command, status].join(' '))).toEqual([
    '1 1 run a in_progress',
    '1 2 run b in_progress',
    '1 2 run b completed',
    '1 1 run a interrupted',
  ]);
});

test('-f goes on into a turn that was begun before it saw the end of the one before', async () => {
  const project = createShellProject();
  const id = await project.begin(`gate one`);
  const follower = await spawnFollower(project, id);
  follower.child.kill('SIGSTOP');
  open(project, 'one');
  await project.settled(id);
  const more = script(project, 'more', line(commandEvent('z', 'of turn 2\n')), gate('two'));
  await project.ok(['inject', id, more]);
  follower.child.kill('SIGCONT');
  await eventually('the next turn is shown', () => follower.shown().includes('of turn 2'));
  open(project, 'two');
  expect(await follower.ended).toBe(0);
  expect(follower.shown().replace(/─+/g, '─')).toMatchInlineSnapshot(`
    "─ turn 1 ─
      done
    ─ turn 2 ─
      $ run z [exit 0]
        of turn 2
      done
    "
  `);
});

test('several sessions are followed side by side, and -n says where to begin', async () => {
  const project = createShellProject();
  const begin = async (name: string): Promise<string> => {
    const events = [`older-${name}`, `old-${name}`].map((id) => line(commandEvent(id, '')));
    const last = line(commandEvent(`new-${name}`, ''));
    const id = await project.begin(script(project, name, ...events, gate(`go-${name}`), last));
    await eventually('it has begun', async () => (await project.$(`logs ${id}`)).includes('old-'));
    return id;
  };
  const [a, b] = [await begin('a'), await begin('b')];
  const { ended, shows } = follow(project, '-f', '-n', '1', a, b);
  await shows('run old-a');
  await shows('run old-b');
  open(project, 'go-b');
  await shows(`${b}    done`);
  open(project, 'go-a');
  const { stdout } = await ended;
  const steps = (id: string): string[] =>
    stdout.split('\n').flatMap((text) => (text.startsWith(`${id}    `) ? text.slice(id.length + 4) : []));
  expect(steps(a)).toEqual(['$ run old-a [exit 0]', '$ run new-a [exit 0]', 'done']);
  expect(steps(b)).toEqual(['$ run old-b [exit 0]', '$ run new-b [exit 0]', 'done']);
  expect(stdout.indexOf('run new-b')).toBeLessThan(stdout.indexOf('run new-a'));
});

test('--raw and --stderr are followed too, byte for byte', async () => {
  const project = createShellProject();
  const [begun, rest] = ["printf 'to stderr\n' >&2", "printf 'more' >&2"];
  const work = [say('half a li'), begun, gate('one'), line('ne \u001b'), rest];
  const id = await project.begin(script(project, 'work', ...work));
  const [raw, stderr] = [follow(project, '-f', '--raw', id), follow(project, '-f', '--stderr', id)];
  await raw.shows('half a li');
  await stderr.shows('to stderr\n');
  open(project, 'one');
  expect((await raw.ended).stdout).toContain('}\nhalf a line \u001b\n{');
  expect((await stderr.ended).stdout).toBe('to stderr\nmore\n');
});

test('a session that is removed while it is followed is gone', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const follower = await spawnFollower(project, id);
  follower.child.kill('SIGSTOP');
  await project.ok(['kill', id]);
  await project.ok(['rm', id]);
  follower.child.kill('SIGCONT');
  expect(await follower.ended).toBe(3);
});

test('Ctrl-C ends it with 130, and a closed pipe quietly; the agent runs on', async () => {
  const project = createShellProject();
  const chatter = `while [ ! -e stop ]; do ${line(commandEvent('a', ''))}; sleep 0.01; done`;
  const id = await project.begin(script(project, 'work', chatter));
  const follower = await spawnFollower(project, id);
  follower.child.kill('SIGINT');
  expect(await follower.ended).toBe(130);
  for (const options of ['-f', '-f --json', '-f --raw']) {
    const command = `"$0" "$1" logs ${options} ${id} | head -1`;
    const place = { cwd: project.directory, env: project.env };
    const ended = await runProgram('/bin/sh', ['-c', command, process.execPath, ZWARM], place);
    const stdout = expect.stringMatching(/^[^\n]+\n$/);
    expect(ended, options).toMatchObject({ code: 0, stderr: '', stdout });
  }
  expect((await project.show(id)).status).toBe('running');
});

/** Without notification: a user namespace whose limit of watches is 0. */
const WITHOUT = ['-Ur', 'sh', '-c', 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"', 'sh'];
const cannotLimit = process.platform !== 'linux' || spawnSync('unshare', [...WITHOUT, 'true']).status !== 0;
if (cannotLimit)
  process.stderr.write('not run, as it needs user namespaces: following without notification\n');

test.skipIf(cannotLimit)('where notification does not work, following does', async () => {
  const project = createShellProject();
  const work = script(project, 'work', line(commandEvent('a', '')), gate('one'), line(commandEvent('b', '')));
  // The whole session in there: from another namespace one cannot tell whether an agent lives.
  const both = '"$1" "$2" start --name it "$3" >&2 && exec "$1" "$2" logs -f it';
  const { child, ended, shown } = watched(
    spawn('unshare', [...WITHOUT, 'sh', '-c', both, 'sh', process.execPath, ZWARM, work], {
      cwd: project.directory,
      env: project.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  await eventually('the first step is shown', () => shown().includes('run a'));
  expect(watchesFiles(child.pid ?? 0)).toBe(false);
  open(project, 'one');
  await eventually('the next one is shown', () => shown().includes('run b'));
  expect(await ended).toBe(0);
});
