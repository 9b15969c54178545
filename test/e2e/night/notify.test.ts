import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendNotifications } from '../../../src/manager/commands/notify.ts';
import type { ManagerContext } from '../../../src/manager/context.ts';
import { createSessionManager } from '../../../src/manager/session-manager.ts';
import { place } from '../../helpers/config.ts';
import { testInstallation } from '../../helpers/context.ts';
import { createPatient } from '../../helpers/patient.ts';
import { createShellProject, eventually, type Project } from '../../helpers/project.ts';

/* What the user's own program is told. Here no process tells it by itself: each test does what that would do. */

const FAILS = `run echo '{"type":"turn.failed","error":{"message":"no"}}'; exit 1`;
const LIMIT = `echo '{"type":"turn.failed","error":{"message":"You have hit your usage limit. Try again in 3 hours."}}'; exit 1`;

/** A project whose user is told by a program that writes down what it gets, and nothing of the time between calls. */
function told(config = '') {
  const project = createShellProject();
  const [log, program] = [join(project.base, 'told'), join(project.base, 'tell')];
  writeFileSync(program, `#!/bin/sh\ncat >> '${log}'\n`, { mode: 0o755 });
  const file = join(project.base, 'home/.config/zwarm/config.toml');
  place(file, `notify = ["${program}"]\n${config}`);
  const context: ManagerContext = {
    ...{ ...testInstallation(), env: project.env, cwd: project.directory },
    ...{ uid: process.getuid?.() ?? 0, stateDir: project.state },
  };
  return {
    project,
    program,
    file,
    context,
    /** Tells what waits; what each call was given. */
    async calls(pause = async () => undefined as unknown) {
      await sendNotifications(context, pause);
      const lines = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
      rmSync(log, { force: true });
      return lines.map((line) => JSON.parse(line).events as Record<string, unknown>[]);
    },
  };
}

const keysOf = (calls: readonly (readonly Record<string, unknown>[])[]) =>
  calls.map((events) => events.map(({ key }) => key).join(' '));

/** Settles a turn once more, as its runner and others may at the same time. */
const settleAgain = ({ context }: ReturnType<typeof told>, id: string) =>
  createSessionManager({
    ...context,
    env: { ...context.env, ZWARM_SESSION_ID: id, ZWARM_TURN: '1' },
  }).settle();

async function ended(project: Project, task: string, name: string): Promise<string> {
  const id = await project.start(['-q', '--name', name, task]);
  await project.settled(id);
  return id;
}

test('each end is told once, whoever settles, with what happened', async () => {
  const user = told();
  const { project } = user;
  const id = await ended(project, FAILS, 'fix-login');
  await settleAgain(user, id);
  const [[failed = {}, ...more] = [], ...others] = await user.calls();
  expect([more, others]).toEqual([[], []]);
  expect({ ...failed, at: 'now' }).toEqual({
    ...{ key: `${id}.1.failed`, event: 'failed', at: 'now', project: project.directory },
    ...{ id, name: 'fix-login', turn: 1, agent: 'codex', by: 'user', status: 'failed', prompt: FAILS },
    error: { code: expect.any(String), message: expect.stringContaining('no'), retry_at: null },
  });
  await settleAgain(user, id);
  expect(await user.calls()).toEqual([]);
});

test('a turn that was lost is told when another one ends', async () => {
  const user = told();
  const { project } = user;
  const lost = await project.start(['-q', 'hang']);
  const { pid } = JSON.parse(readFileSync(project.turnFile(lost, 1, 'runner.stat'), 'utf8'));
  process.kill(-pid, 'SIGKILL');
  await eventually('it is lost', async () => (await project.show(lost)).status === 'lost');
  const other = await ended(project, 'quick', 'other');
  const keys = keysOf(await user.calls())
    .join(' ')
    .split(' ')
    .filter(Boolean);
  expect(keys.toSorted()).toEqual([`${lost}.1.lost`, `${other}.1.finished`].toSorted());
  await settleAgain(user, other);
  expect(await user.calls()).toEqual([]);
});

test('what the user stops, and a copy, is not told; a session at rest that nobody has seen is, where asked for', async () => {
  const user = told('notify_events = ["finished", "failed", "needs_attention"]\n');
  const { project } = user;
  const killed = await project.start(['-q', 'hang']);
  await project.ok(['kill', killed]);
  await project.settled(killed);
  expect(await user.calls()).toEqual([]);
  const id = await ended(project, 'echo', 'one');
  expect(keysOf(await user.calls())).toEqual([`${id}.1.finished ${id}.1.needs_attention`]);
  const fork = await project.ok(['fork', id, '-q']);
  await project.ok(['inject', fork, '--queue', '-q', 'echo']);
  await project.settled(fork, 2);
  expect(keysOf(await user.calls())).toEqual([`${fork}.2.finished ${fork}.2.needs_attention`]);
});

test('the first of forty ends is told at once, and all others in one more call', async () => {
  const user = told();
  const id = await ended(user.project, 'echo', 'first');
  const [[first = {}] = []] = await user.calls();
  const { putNotification } = await import('../../../src/store/notifications.ts');
  const put = (count: number) => {
    for (let at = 0; at < count; at++)
      putNotification(
        user.project.state,
        { v: 1, ...first, key: `${at}` } as never,
        `${at}`.padStart(3, '0'),
      );
  };
  put(1);
  let pauses = 0;
  const calls = await user.calls(async () => void (pauses++ === 0 && put(39)));
  expect(calls.map((events) => events.length)).toEqual([1, 39]);
  expect([pauses, first['id']]).toEqual([2, id]);
});

test('nothing is told in quiet hours, nor what the user does not want, nor without a program', async () => {
  const user = told();
  const hour = new Date().getHours();
  const at = (hours: number) => `${String((hour + hours + 24) % 24).padStart(2, '0')}:00`;
  for (const config of [
    `notify = ["${user.program}"]\nquiet_hours = "${at(-1)}-${at(2)}"\n`,
    `notify = ["${user.program}"]\nnotify_events = ["failed"]\n`,
    'notify_events = ["finished"]\n',
    'max_running = "many"\n',
  ]) {
    place(user.file, config);
    const id = await user.project.zwarm(['start', '-q', 'echo']).then(({ stdout }) => stdout.trim());
    if (id !== '') await user.project.settled(id);
    expect(await user.calls(), config).toEqual([]);
  }
  place(user.file, `notify = ["${user.program}"]\nquiet_hours = "${at(2)}-${at(-1)}"\n`);
  await ended(user.project, 'echo', 'loud');
  expect(await user.calls()).toHaveLength(1);
});

test("a project's file adds no program, and changes none", async () => {
  const user = told();
  const planted = join(user.project.directory, 'planted');
  const theirs = `notify = ["touch", "${planted}"]\nnotify_events = []\nquiet_hours = "00:00-00:00"\n`;
  place(join(user.project.directory, 'zwarm.toml'), theirs);
  await ended(user.project, 'echo', 'one');
  expect(await user.calls()).toHaveLength(1);
  const listed = await user.project.$('config list');
  expect(listed.match(/^.*zwarm\.toml: \w+ = .* has no effect: .*$/gm)).toHaveLength(3);
  place(user.file, '');
  await ended(user.project, 'echo', 'two');
  expect(await user.calls()).toEqual([]);
  expect(existsSync(planted)).toBe(false);
});

test('an account that is held, and one that works again, and a queue that is empty are told', async () => {
  const user = told('notify_events = ["held", "resumed", "queue_empty"]\nmax_running = 1\n');
  const { project } = user;
  const gated = (gate: string) => `run while ! [ -e '${project.base}/${gate}' ]; do sleep 0.02; done`;
  const open = (gate: string) => writeFileSync(join(project.base, gate), '');
  const first = await project.start(['-q', gated('a')]);
  const limited = await project.start(['-q', '--queue', `${gated('b')}; ${LIMIT}`]);
  const last = (await project.asProcess(['start', '-q', '--queue', 'echo'])).stdout.trim();
  expect(await user.calls()).toEqual([]);
  open('a');
  await project.settled(first);
  expect(await user.calls()).toEqual([]);
  open('b');
  await project.settled(limited);
  expect(keysOf(await user.calls())).toEqual([`${limited}.1.held`]);
  expect((await project.show(last)).pending).toMatchObject({ reason: 'hold' });
  const works = await ended(project, `run echo '{"type":"turn.completed"}'`, 'works');
  expect(
    keysOf(await user.calls())
      .join(' ')
      .split(' ')
      .sort(),
  ).toEqual([`${last}.1.queue_empty`, `${works}.1.resumed`].sort());
});

test('a value that names no program, event or hours is refused; words make a list', async () => {
  const { project } = told();
  for (const line of ['notify ./tell', 'notify_events finish', 'quiet_hours 25:00-07:00'])
    expect(await project.$(`config set ${line}`)).toMatch(/must be .*\n(?:.*\n)*\[exit 2\]\n$/);
  for (const line of ['notify desktop', 'quiet_hours 22:00-07:00', 'notify_events failed lost'])
    await project.ok(['config', 'set', ...line.split(' ')]);
  await project.ok(['config', 'set', 'notify_events', 'failed']);
  const keys = ['notify', 'notify_events', 'quiet_hours'];
  const values = await Promise.all(keys.map((key) => project.ok(['config', 'get', key])));
  expect(values).toEqual(['desktop', 'failed', '22:00-07:00']);
  await project.ok(['config', 'set', 'notify', '~/bin/tell', 'a b']);
  expect(await project.ok(['config', 'get', 'notify'])).toBe('~/bin/tell\na b');
});

test('doctor says how the last call ended, and that a program is missing', async () => {
  const patient = createPatient();
  const said = async () => (await patient.diagnose()).checks['notify'];
  expect(await said()).toMatchObject({ status: 'ok', message: 'off: no notifications are set up' });
  const user = told();
  const { env } = user.project;
  const check = async () => {
    const { checks } = JSON.parse((await user.project.zwarm(['doctor', '--json'], { env })).stdout);
    return checks.find(({ name }: { name: string }) => name === 'notify');
  };
  expect(await check()).toMatchObject({ status: 'ok', message: `${user.program}, not called yet` });
  writeFileSync(user.program, "#!/bin/sh\necho 'no \u001b[2Jnetwork' >&2; exit 3\n");
  await ended(user.project, 'echo', 'one');
  await user.calls();
  expect(await check()).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(/: it ended with exit code 3; it printed: no \S*network$/),
  });
  expect(await user.project.$('doctor')).not.toContain('\u001b[2J');
  place(user.file, 'notify = ["/bin/true"]\n');
  expect(await check()).toMatchObject({ status: 'ok', message: '/bin/true, not called yet' });
  place(user.file, 'notify = ["no-such-program"]\n');
  const message = 'no-such-program: it was not found on the PATH';
  expect(await check()).toMatchObject({ status: 'warning', message });
});
