import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../../src/core/ids.ts';
import { eventually } from '../../helpers/project.ts';
import { type Scene, turnEnv } from './scene.ts';

/** A verb whose calls are counted. */
export interface CountedVerb {
  /** Brings the project into the state in which the verb is called. */
  prepare(scene: Scene): Promise<SessionId | null>;
  /** The verb, in this process. */
  act(scene: Scene, id: SessionId | null): Promise<unknown>;
  /** The same as a command. */
  args(id: SessionId | null): readonly string[];
  /** The environment of that command, beside the project's. */
  env?(id: SessionId | null): Scene['env'];
  /** The message that is safe once the verb has succeeded, and its turn. */
  readonly acknowledges: { readonly turn: number; readonly prompt: string } | null;
}

const some = (id: SessionId | null): SessionId => {
  if (id === null) throw new Error('no session was prepared');
  return id;
};

async function ended({ manager }: Scene): Promise<SessionId> {
  const { id } = await manager.start({ task: 'quick first' });
  await manager.wait(id);
  return id;
}

function starting(task: string): CountedVerb {
  return {
    prepare: async () => null,
    act: ({ manager }) => manager.start({ task }),
    args: () => ['start', task],
    acknowledges: { turn: 1, prompt: task },
  };
}

function injecting(message: string): CountedVerb {
  return {
    prepare: ended,
    act: ({ manager }, id) => manager.inject(some(id), message),
    args: (id) => ['inject', some(id), message],
    acknowledges: { turn: 2, prompt: message },
  };
}

/** Kills an agent that has shown itself. */
function killing(task: string): CountedVerb {
  return {
    async prepare(scene) {
      const { id } = await scene.manager.start({ task });
      await eventually('the agent runs', () => scene.prompts().length === 1);
      return id;
    },
    act: ({ manager }, id) => manager.kill(some(id), 2000),
    args: (id) => ['kill', '--grace', '2s', some(id)],
    acknowledges: null,
  };
}

/** Every verb that changes something, and what the turn runner calls. */
export const VERBS: Readonly<Record<string, CountedVerb>> = {
  start: starting('quick task'),
  inject: injecting('quick message'),
  kill: killing('hang task'),
  rm: {
    prepare: ended,
    act: ({ manager }, id) => manager.remove(some(id)),
    args: (id) => ['rm', some(id)],
    acknowledges: null,
  },
  clean: {
    prepare: ended,
    act: ({ manager }) => manager.clean({ olderThanMs: 0, dryRun: false }),
    args: () => ['clean', '--days', '0'],
    acknowledges: null,
  },
  settle: {
    prepare: ended,
    act: (scene, id) => scene.settle(some(id), 1),
    args: () => ['settle'],
    env: (id) => turnEnv(some(id), 1),
    acknowledges: null,
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
