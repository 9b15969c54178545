import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { installation } from '../../src/installation.ts';
import { createSessionManager } from '../../src/manager/session-manager.ts';
import { eventually } from '../helpers/project.ts';
import { createShellProject, hasEnded, type ShellProject } from '../helpers/shell-project.ts';
import { snapshot } from '../helpers/tree.ts';

/*
 * While its agent lives, a directory of the store gives way to a link to its like outside, where the user has files of
 * the same names. Nothing is written there: not by who records how the turn ended, nor by who is asked to end it.
 */

const EXIT = '{"v":1,"code":0,"why":null,"cancelled":false,"ended_at":null,"events_bytes":0}\n';

/** What gives way: the directory of the turn, or one above it. */
const LEVELS: readonly [name: string, of: (turn: string) => string][] = [
  ['the directory of the turn', (turn) => turn],
  ['the turns', dirname],
  ['the session', (turn) => dirname(dirname(turn))],
];

/** A running session, and its like outside. */
interface Swap {
  readonly project: ShellProject;
  readonly id: string;
  readonly outside: string;
  /** What gives way, and where it goes. */
  readonly target: string;
  readonly away: string;
  readonly like: string;
  /** The turn in the place that it was moved to, and outside. */
  readonly movedTurn: string;
  readonly likeTurn: string;
}

async function begun(
  prompt: (project: ShellProject) => string,
  level: (turn: string) => string,
): Promise<Swap> {
  const project = createShellProject();
  const outside = join(project.base, 'outside');
  mkdirSync(outside);
  const id = await project.begin(prompt(project));
  const turn = dirname(project.turnFile(id, 1, 'x'));
  const target = level(turn);
  const away = join(project.base, 'away');
  const like = join(outside, basename(target));
  cpSync(target, like, { recursive: true });
  const way = relative(target, turn);
  return { project, id, outside, target, away, like, movedTurn: join(away, way), likeTurn: join(like, way) };
}

/** What is below a directory, by the path from there. */
function below(directory: string): Record<string, string> {
  const found = Object.entries(snapshot(directory));
  return Object.fromEntries(found.map(([path, what]) => [relative(directory, path), what]));
}

function swap({ target, away, like }: Swap): void {
  renameSync(target, away);
  symlinkSync(like, target);
}

test.each(LEVELS)('%s is a link when its agent ends: nothing outside is settled', async (_, level) => {
  const gate = ({ base }: ShellProject): string => join(base, 'gate');
  const swapped = await begun((project) => `gate ${gate(project)}`, level);
  const { project, id, outside, likeTurn, movedTurn } = swapped;
  writeFileSync(join(likeTurn, 'exit.json'), EXIT);
  swap(swapped);
  const before = snapshot(outside);
  writeFileSync(gate(project), '');
  await eventually('its runner has tried to settle', () => project.marked(id).length === 0);
  expect(existsSync(join(movedTurn, 'exit.json'))).toBe(true);
  expect(snapshot(outside)).toEqual(before);
});

test.each(
  LEVELS.flatMap(([name, level]) => [
    { name, level, end: false },
    { name, level, end: true },
  ]),
)(
  '$name is a link when it is killed, with an end behind it: $end: it ends, and nothing outside changes',
  async ({ level, end }) => {
    const swapped = await begun(() => 'hang', level);
    const { project, id, outside, likeTurn } = swapped;
    if (end) writeFileSync(join(likeTurn, 'exit.json'), EXIT);
    swap(swapped);
    const before = snapshot(outside);
    const killed = await project.run(['kill', id]);
    expect.soft(snapshot(outside)).toEqual(before);
    // What can be recorded nowhere is told.
    if (killed.code !== 0)
      expect(killed).toMatchObject({ code: 1, stderr: expect.stringContaining('were ended') });
    expect(project.runs().map(({ pid }) => hasEnded(pid))).toEqual([true]);
  },
);

test.each(LEVELS)('%s becomes a link while it is being killed', async (_, level) => {
  // Its last act: kill has read what it needs, and has yet to record the end where no runner does.
  const prompt = ({ base }: ShellProject): string =>
    `run kill -KILL $PPID; trap '${base}/swap; exit 0' INT; while :; do sleep 0.02; done`;
  const { project, id, target, away, like } = await begun(prompt, level);
  const script = join(project.base, 'swap');
  writeFileSync(
    script,
    `#!/bin/sh\nrm -r '${like}'; cp -rp '${target}' '${like}' && mv '${target}' '${away}' && ln -s '${like}' '${target}'\n`,
  );
  chmodSync(script, 0o755);
  expect((await project.run(['kill', id, '--grace', '600s'])).code).toBe(0);
  expect(below(like)).toEqual(below(away));
  expect(project.runs().map(({ pid }) => hasEnded(pid))).toEqual([true]);
});

test.each(LEVELS)('%s becomes a link while its runner is begun, which then fails', async (_, level) => {
  const project = createShellProject();
  const outside = join(project.base, 'outside');
  mkdirSync(outside);
  const target = join(project.directory, '.zwarm', 'sessions', 'pants2abcd', 'turns', '1');
  const runner = join(project.base, 'runner');
  const { paths, ...rest } = installation();
  const swapped = { target: level(target), like: join(outside, basename(level(target))) };
  writeFileSync(
    runner,
    `cp -r '${swapped.target}' '${swapped.like}'; mv '${swapped.target}' '${project.base}/away'; ln -s '${swapped.like}' '${swapped.target}'`,
  );
  const manager = createSessionManager({
    ...rest,
    paths: { ...paths, runner },
    newId: () => 'pants2abcd',
    cwd: project.directory,
    env: project.env,
    uid: process.getuid?.() ?? 0,
    stateDir: null,
  });
  await expect(manager.start({ task: 'quick' })).rejects.toThrow(
    /nor could that be recorded: .* is no directory/,
  );
  expect(readdirSync(join(swapped.like, relative(swapped.target, target))).sort()).toEqual([
    'events.jsonl',
    'launch.json',
    'prompt.md',
    'request.json',
    'stderr.log',
  ]);
});
