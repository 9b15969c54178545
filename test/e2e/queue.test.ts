import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { putHold } from '../../src/store/holds.ts';
import { readWaker } from '../../src/store/wakers.ts';
import { place } from '../helpers/config.ts';
import {
  createShellProject,
  eventually,
  hasEnded,
  processesWith,
  runProgram,
  ZWARM,
} from '../helpers/project.ts';

/* What waits, with the end of each turn starting the next: as built, in processes of their own. */

/** A project in which so many turns may run at once, and in which the end of a turn is dealt with. */
function createCapped(max: number, name?: string) {
  const project = createShellProject(name);
  place(join(project.base, 'home/.config/zwarm/config.toml'), `max_running = ${max}\n`);
  const log = join(project.base, 'log');
  fs.writeFileSync(log, '');
  const places = { cwd: project.directory, env: project.env };
  return {
    ...project,
    /** What each agent does: it logs its beginning and its end, each with one write. */
    task: (name: string, then = ''): string =>
      `run echo "+ ${name}" >> ${log}; sleep 0.1; echo "- ${name}" >> ${log}; ${then}`,
    lines: () => fs.readFileSync(log, 'utf8').trimEnd().split('\n'),
    /** A command that is killed at some moment, unless it has ended by then. */
    async killed(args: readonly string[], afterMs: number): Promise<void> {
      const child = spawn(process.execPath, [ZWARM, ...args], { ...places, stdio: 'ignore' });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      setTimeout(() => child.kill('SIGKILL'), afterMs).unref();
      await ended;
    },
  };
}

/** With SOAK_SCALE=10 as many as in a long night. */
const SCALE = Number(process.env['SOAK_SCALE'] || 1);
const COUNT = 20 * SCALE;

/** The most that ran at once. */
function mostAtOnce(lines: readonly string[]): number {
  let [now, most] = [0, 0];
  for (const line of lines) {
    now += line.startsWith('+') ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
}

test('a chain and a diamond go on by themselves when their terminal is gone', async () => {
  const project = createCapped(2);
  const { ok, task, lines } = project;
  const start = async (name: string, ...after: readonly string[]) => {
    const waits = after.flatMap((id) => ['--after', id]);
    return (await project.asProcess(['start', '-q', '--queue', ...waits, task(name)])).stdout.trim();
  };
  const top = await start('top');
  const [left, right] = [await start('left', top), await start('right', top)];
  const bottom = await start('bottom', left, right);
  await start('last', bottom);
  await eventually('the last has ended', () => lines().includes('- last'));
  const began = lines().filter((line) => line.startsWith('+'));
  expect([began[0], ...began.slice(3)]).toEqual(['+ top', '+ bottom', '+ last']);
  await eventually('nothing waits', async () => (await ok(['queue'])) === '');
});

const PLACES = 4;

/** The processes of a project that run turns or deal with their ends. */
function runnersOf(base: string): number[] {
  const commandOf = (pid: number): string => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  };
  return processesWith(`HOME=${base}/home`).filter((pid) => /turn-runner|settle/.test(commandOf(pid)));
}

test.runIf(process.platform === 'linux')(
  'however many dispatchers and runners are killed, no more run than may, each once, in their order',
  async () => {
    const project = createCapped(PLACES);
    const { base, task, lines, ok, list } = project;
    const gate = join(base, 'gate');
    const names = Array.from({ length: COUNT }, (_, i) => `t${i}`);
    for (let i = 0; i < PLACES; i += 1) await ok(['start', '-q', '--queue', `gate ${gate}`]);
    for (const name of names) await ok(['start', '-q', '--queue', task(name)]);
    expect((await ok(['queue'])).split('\n')).toHaveLength(COUNT);
    const before = performance.now();
    await project.asProcess(['queue', 'run']);
    const whole = performance.now() - before;
    // One in any case: those of the first turns wait.
    const [first] = runnersOf(base);
    if (first === undefined) throw new Error('no runner is there');
    process.kill(first, 'SIGKILL');
    fs.writeFileSync(gate, '');
    for (let i = 0; (await ok(['queue'])) !== ''; i += 1) {
      // At any moment of its work.
      await project.killed(['queue', 'run'], whole * (((i * 37) % 150) / 100));
      const victim = runnersOf(base)[i % PLACES];
      if (i % 3 > 0 || victim === undefined) continue;
      try {
        process.kill(victim, 'SIGKILL');
      } catch (error) {
        expect(error).toMatchObject({ code: 'ESRCH' });
      }
    }
    await eventually('all have ended', async () =>
      (await list(['--all'])).every(({ status }) => !['pending', 'running'].includes(status)),
    );
    const began = lines().flatMap((line) => (line.startsWith('+') ? [Number(line.slice(3))] : []));
    expect(mostAtOnce(lines())).toBeLessThanOrEqual(PLACES);
    // A runner that is killed before its agent begins leaves a turn that nobody runs again: it is lost, or has failed where its
    // launcher was still there to see that.
    const lost = (await list(['--all', '--status', 'lost,failed'])).flatMap(({ status, error, task }) =>
      status === 'lost' || error?.code === 'spawn_error' ? (task?.match(/t\d+/)?.[0] ?? []) : [],
    );
    const ran = began.map((i) => `t${i}`);
    expect(new Set(ran).size).toBe(ran.length);
    expect(names.filter((name) => !ran.includes(name) && !lost.includes(name))).toEqual([]);
    // Those that begin at the same time write in any order.
    for (const [at, i] of began.entries()) expect(Math.abs(i - at)).toBeLessThan(PLACES + lost.length);
  },
  300_000 * SCALE,
);

test('the ends of many turns at once are in nobody’s way: one process after the other starts what waits', async () => {
  const project = createCapped(2 * PLACES);
  const { base, lines, ok, task, turnFile } = project;
  const gate = join(base, 'gate');
  for (let i = 0; i < 2 * PLACES; i += 1)
    expect((await project.asProcess(['start', '-q', `gate ${gate}`])).code).toBe(0);
  const ids: string[] = [];
  for (let i = 0; i < COUNT; i += 1) ids.push(await ok(['start', '-q', '--queue', task(`t${i}`)]));
  fs.writeFileSync(gate, '');
  const areOver = (): boolean => lines().filter((line) => line.startsWith('-')).length === COUNT;
  await eventually('all have ended', areOver, 90 * SCALE);
  const launches = ids.map((id) => JSON.parse(fs.readFileSync(turnFile(id, 1, 'launch.json'), 'utf8')));
  const inOrder = launches.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const starters = inOrder.map(({ launcher }) => launcher.pid).filter((pid, i, all) => pid !== all[i - 1]);
  expect(starters).toEqual([...new Set(starters)]);
});

test('what waits for a time is started then, by a waker that ends with it', async () => {
  // Its store has a name like that: the waker looks at it, too.
  const project = createCapped(2, '.dotted');
  const { ok, task, lines, state, env } = project;
  const hold = {
    v: 1,
    agent: 'codex',
    account: join(project.base, 'home/.codex/sessions'),
    code: 'usage_limit',
  } as const;
  const at = Date.now();
  const iso = (ms: number): string => new Date(ms).toISOString();
  const until = iso(at + 5000);
  putHold(state, { ...hold, message: 'spent', retry_at: until, at: iso(at) }, 'unique');
  /** The newest waker, once it has said who it is. */
  const waker = () => eventually('the waker sleeps', () => readWaker(state).identity?.pid);
  const held = await ok(['start', '-q', '--queue', task('a')]);
  const first = await waker();
  await ok(['start', '-q', '--queue', task('b')]);
  expect(await waker()).toBe(first);
  expect((await project.show(held)).pending).toEqual({
    reason: 'hold',
    detail: `codex: spent; until ${until}; it goes on then`,
    not_before: until,
  });
  expect(lines()).toEqual(['']);
  await eventually('both have ended', () => lines().filter((line) => line.startsWith('-')).length === 2);
  expect(Date.now()).toBeGreaterThanOrEqual(at + 5000);
  await eventually('the waker has ended', () => hasEnded(first));
  // What deals with the end of a turn would start another waker in place of one that was killed.
  await eventually(
    'the ends are dealt with',
    () => process.platform !== 'linux' || runnersOf(project.base).length === 0,
  );
  // One that was killed is not missed in silence.
  putHold(
    state,
    { ...hold, message: 'spent', retry_at: iso(Date.now() + 3_600_000), at: iso(Date.now()) },
    'unique',
  );
  const id = await ok(['start', '-q', '--queue', task('c')]);
  process.kill(await waker(), 'SIGKILL');
  await eventually('it is told', async () =>
    /nothing will wake it: zwarm wake/.test((await project.show(id)).pending?.detail ?? ''),
  );
  expect((await runProgram(process.execPath, [ZWARM, 'wake'], { cwd: '/', env })).code).toBe(0);
  expect((await project.show(id)).pending?.detail).toMatch(/it goes on then$/);
  expect(await ok(['queue', 'run'])).toBe(`${id} turn 1 started`);
});
