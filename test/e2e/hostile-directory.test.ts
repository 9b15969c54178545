import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { capability, testAsRoot } from '../helpers/as-root.ts';
import { onScreen } from '../helpers/context.ts';
import { type Ground, PLANTS, type Plant } from '../helpers/hostile-directory.ts';
import {
  createProject,
  eventually,
  type Project,
  processesWith,
  repositoryFile,
} from '../helpers/project.ts';
import { removeTree } from '../helpers/remove.ts';
import { snapshot } from '../helpers/tree.ts';

/*
 * An agent that may write below the project may write into the state directory. Whatever it plants there: lists go on,
 * nothing outside is read, written or deleted, nothing hangs, and nothing is run that the user has not asked for.
 */

const SECRET = 'the secret that lies outside';

/** A project with three finished sessions, and how to bring it back to that state. */
interface Stage {
  readonly project: Project;
  readonly ground: Ground;
  /** The session that has failed. */
  readonly failed: string;
  reset(): void;
}

async function createStage(finished: (cleanup: () => void | Promise<void>) => void): Promise<Stage> {
  const project = createProject('project', finished);
  project.env['ZWARM_CODEX_BIN'] = repositoryFile('fixtures/shell-agent');
  const [victim = '', failed = '', good = ''] = await Promise.all(
    ['quick victim', 'break failed', 'quick good'].map(async (task) => {
      const id = await project.start(['--name', task.split(' ')[1] ?? '', task]);
      await project.settled(id);
      return id;
    }),
  );
  const root = join(project.directory, '.zwarm');
  const outside = join(project.base, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  cpSync(join(root, 'sessions'), join(outside, 'sessions'), { recursive: true });
  writeFileSync(join(outside, 'sessions', good, 'turns', '1', 'prompt.md'), SECRET);
  const state = join(project.base, 'home', '.local');
  const backup = join(project.base, 'backup');
  cpSync(root, join(backup, 'root'), { recursive: true, preserveTimestamps: true });
  cpSync(state, join(backup, 'state'), { recursive: true });
  return {
    project,
    ground: { root, victim, good, outside },
    failed,
    reset() {
      for (const [path, saved] of [
        [root, 'root'],
        [state, 'state'],
      ] as const) {
        removeTree(path);
        cpSync(join(backup, saved), path, { recursive: true, preserveTimestamps: true });
      }
    },
  };
}

const READERS = (victim: string): string[][] => [
  ['ls', '--json'],
  ['ls'],
  ['show', victim],
  ['wait', '--timeout', '0.05s', victim],
];

const WRITERS = (victim: string): string[][] => [
  ['inject', victim, 'quick more'],
  ['kill', '--grace', '0s', victim],
  ['rm', victim],
  ['clean', '--days', '0'],
];

// 124: `wait` ran out of time; nothing that is planted can make another one right.
const CODES = [0, 3, 4, 5, 124];

describe('whatever an agent plants in the state directory', () => {
  const cleanups: (() => void | Promise<void>)[] = [];
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage((cleanup) => cleanups.push(cleanup));
    return async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    };
  });

  for (const plant of PLANTS) {
    if (plant.device) testAsRoot(plant.name, () => tamper(plant), capability('MKNOD'));
    else test(plant.name, () => tamper(plant));
  }

  async function tamper(tampering: Plant): Promise<void> {
    const { plant, all, shows, refused } = tampering;
    const { project, reset } = stage;
    onTestFinished(reset);
    const ground = tampering.failed ? { ...stage.ground, victim: stage.failed } : stage.ground;
    const { root, victim, good, outside } = ground;
    const beside = join(root, 'sessions', good);
    const goodBefore = snapshot(beside);
    const summary = join(root, 'sessions', victim, 'summary.json');
    const before = snapshot(outside);
    const runs = project.runs().length;

    plant(ground);
    for (const argv of READERS(victim)) {
      const { code, stdout, stderr } = await onScreen(project, argv);
      const what = `${argv.join(' ')}: ${stderr}`;
      // Of a session that did not complete, wait says so with 1.
      expect.soft(argv[0] === 'wait' ? [...CODES, 1] : CODES, what).toContain(code);
      expect.soft(stdout + stderr, what).not.toContain(SECRET);
      if (argv[0] !== 'ls' || all) continue;
      expect.soft(code, what).toBe(0);
      expect.soft(stdout, what).toContain(good);
      if (shows !== 'hidden') expect.soft(stdout, what).toContain(victim);
    }
    if (shows === 'damaged') {
      // With a summary lists tell how it stood, whatever happens to what is inside of its turns.
      if (/^turns(: missing|.*link outside|\/[19])/.test(tampering.name)) rmSync(summary);
      const rows = JSON.parse((await onScreen(project, ['ls', '--json'])).stdout);
      const row = rows.find(({ id }: { id: string }) => id === victim);
      expect
        .soft(row)
        .toMatchObject({ status: 'damaged', error: { message: expect.stringMatching(/.{30}/) } });
    }

    let changed = false;
    for (const argv of WRITERS(victim)) {
      // What was refused has changed nothing.
      if (changed) {
        reset();
        plant(ground);
      }
      const { code, stdout, stderr } = await onScreen(project, argv);
      const what = `${argv.join(' ')}: ${stderr}`;
      changed = code === 0;
      expect.soft(tampering.closed ? [...CODES, 1] : CODES, what).toContain(code);
      expect.soft(stdout + stderr, what).not.toContain(SECRET);
      expect.soft(snapshot(outside), what).toEqual(before);
      if (refused) expect.soft(code, what).toBe(5);
      else if (argv[0] === 'clean' && !all) {
        // The others are removed all the same.
        expect.soft(code, what).toBe(0);
        expect.soft(stdout.split('\n'), what).toContain(good);
      }
      if (argv[0] !== 'clean' && !all) expect.soft(snapshot(beside), what).toEqual(goodBefore);
      if (argv[0] !== 'inject') continue;
      if (code === 0) {
        await onScreen(project, ['wait', victim]);
        await eventually(
          'its runner has settled',
          () => processesWith(`ZWARM_SESSION_ID=${victim}`).length === 0,
        );
      }
      // What ran was asked for, and as it was asked for; a planted turn may be told of before.
      const prompts = project.runs().slice(runs);
      expect
        .soft(
          prompts.map(({ stdin, cwd }) => [stdin.split(' end of the record>\n\n').at(-1), cwd]),
          what,
        )
        .toEqual(code === 0 ? [['quick more', project.directory]] : []);
      expect.soft(prompts.flatMap(({ argv: args }) => args).join(' '), what).not.toMatch(/danger/);
    }
  }
});
