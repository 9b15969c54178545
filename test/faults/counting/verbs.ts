import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { eventually, processesNaming } from '../../helpers/project.ts';
import { type Scene, turnEnv } from './scene.ts';

/** A verb whose calls are counted. */
export interface CountedVerb {
  /** Brings the project into the state in which the verb is called. */
  prepare(scene: Scene): Promise<SessionId | null>;
  /** The verb, in this process; false when it says that something stayed undone. */
  act(scene: Scene, id: SessionId | null): Promise<boolean>;
  /** The same as a command. */
  args(id: SessionId | null): readonly string[];
  /** The environment of that command, beside the project's. */
  env?(id: SessionId | null): Scene['env'];
  /** Checks what holds once the verb has said that it is done. */
  done(scene: Scene, id: SessionId | null): Promise<void>;
}

const some = (id: SessionId | null): SessionId => {
  if (id === null) throw new Error('no session was prepared');
  return id;
};

/** A session that has had its first turn. */
export async function endedSession({ manager }: Scene): Promise<SessionId> {
  const { id } = await manager.start({ task: 'quick first' });
  await manager.wait(id);
  return id;
}

/** I1: the message is safe, in the newest turn of the only session. */
export function hasMessage(turn: number, prompt: string): CountedVerb['done'] {
  return async ({ manager }) => {
    const rows = await manager.list({ all: true });
    expect(rows, 'I1').toHaveLength(1);
    expect((await manager.get(rows[0]?.id ?? '')).turns.at(-1), 'I1').toMatchObject({ turn, prompt });
  };
}

/** What was removed is neither listed nor there. */
async function isRemoved({ manager, root }: Scene): Promise<void> {
  expect(await manager.list({ all: true }), 'I8: what was removed is listed').toEqual([]);
  expect(namesIn(root, 'sessions'), 'I8: what was removed is there').toEqual([]);
}

function starting(task: string): CountedVerb {
  return {
    prepare: async () => null,
    act: ({ manager }) => manager.start({ task }).then(() => true),
    args: () => ['start', task],
    done: hasMessage(1, task),
  };
}

function injecting(message: string): CountedVerb {
  return {
    prepare: endedSession,
    act: ({ manager }, id) => manager.inject(some(id), message).then(() => true),
    args: (id) => ['inject', some(id), message],
    done: hasMessage(2, message),
  };
}

/** A session whose agent has shown itself. */
async function runningSession({ manager, prompts }: Scene): Promise<SessionId> {
  const { id } = await manager.start({ task: 'hang task' });
  await eventually('the agent runs', () => prompts().length === 1);
  return id;
}

/** Every verb that changes something, and what the turn runner calls. */
export const VERBS: Readonly<Record<string, CountedVerb>> = {
  start: starting('quick task'),
  inject: injecting('quick message'),
  interrupt: {
    prepare: runningSession,
    act: ({ manager }, id) => manager.inject(some(id), 'quick message', { interrupt: true }).then(() => true),
    args: (id) => ['inject', '--interrupt', some(id), 'quick message'],
    async done(scene, id) {
      expect(lives(some(id), 1), 'I9: what was interrupted lives').toBe(false);
      await hasMessage(2, 'quick message')(scene, id);
    },
  },
  kill: {
    prepare: runningSession,
    act: ({ manager }, id) => manager.kill(some(id), { graceMs: 2000 }).then(() => true),
    args: (id) => ['kill', '--grace', '2s', some(id)],
    async done({ manager, root }, id) {
      expect(lives(some(id), 1), 'I9: what was killed lives').toBe(false);
      expect(await manager.get(some(id)), 'I9').toMatchObject({ status: 'killed' });
      const ends = namesIn(root, 'sessions', some(id), 'turns', '1').filter((name) =>
        name.startsWith('exit.'),
      );
      expect(ends, 'I9: the end is recorded').toHaveLength(1);
    },
  },
  rm: {
    prepare: endedSession,
    act: ({ manager }, id) => manager.remove(some(id)).then(() => true),
    args: (id) => ['rm', some(id)],
    done: isRemoved,
  },
  clean: {
    prepare: endedSession,
    act: async ({ manager }) => (await manager.clean({ olderThanMs: 0, dryRun: false })).skipped.length === 0,
    args: () => ['clean', '--days', '0'],
    done: isRemoved,
  },
  settle: {
    prepare: endedSession,
    act: (scene, id) => scene.settle(some(id), 1).then(() => true),
    args: () => ['settle'],
    env: (id) => turnEnv(some(id), 1),
    async done({ manager, root }, id) {
      expect(namesIn(root, 'sessions', some(id), 'turns', '1')).toContain('notified.json');
      expect(await manager.get(some(id))).toMatchObject({ status: 'completed' });
    },
  },
};

/** The same where the agent runs for long. */
export const LONG: Readonly<Record<string, CountedVerb>> = {
  ...VERBS,
  start: starting('hang task'),
  inject: injecting('hang message'),
};

/** The names below a directory of the store, none where there is none. */
export function namesIn(...path: readonly string[]): string[] {
  try {
    return readdirSync(join(...path)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Whether anything of a turn's agent or runner lives, other than what records and settles after its end. */
export function lives(id: string, turn: number | null): boolean {
  return processesNaming(`@${id}.${turn}.`).some((pid) => {
    try {
      return !/\0ZWARM_MARK=[^\0]*\.runner\0/.test(`\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`);
    } catch {
      return false;
    }
  });
}
