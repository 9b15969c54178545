import { AGENTS } from '../../agents/registry.ts';
import { outsideOfGit } from '../../core/git-command.ts';
import { ownUmask } from '../../process/launch.ts';
import { discard } from '../../store/files.ts';
import { turnFile } from '../../store/layout.ts';
import { lookAt, unlessDamaged } from '../../store/read-file.ts';
import type { EnvironmentRecord } from '../../store/records.ts';
import { readRequest, readRunner } from '../../store/sessions.ts';
import { locateProject, type ManagerContext, type Turn } from '../context.ts';

const MARKERS = AGENTS.flatMap(({ markers }) => markers);

/**
 * What of a caller's environment holds later, too: not what a git command in progress says of itself, and not what an agent
 * says to the programs that it runs.
 */
export function lastingEnvironment(env: ManagerContext['env']): ManagerContext['env'] {
  return { ...outsideOfGit(env), ...Object.fromEntries(MARKERS.map((name) => [name, undefined])) };
}

/** With what a turn is to run that begins later: what this command has. */
export function environmentNow(context: ManagerContext): EnvironmentRecord {
  const env = Object.fromEntries(Object.entries(context.env).filter(([, value]) => value !== undefined));
  return {
    ...{ v: 1, umask: ownUmask(), env: env as Record<string, string> },
    checkout: locateProject(context).checkout,
  };
}

/** Forgets with what a turn was to run, unless its message may have to be repeated: nothing else holds an environment. */
export function forgetEnvironment(turn: Turn): void {
  const isRepeated = unlessDamaged(() => readRequest(turn).retry) !== null;
  const isOpen = readRunner(turn) !== null && lookAt(turnFile(turn, 'notified')) === null;
  if (!isRepeated || !isOpen) discard(turnFile(turn, 'environment'));
}
