import type { AgentAdapter } from '../../agents/agent.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isActive } from '../../core/status.ts';
import { isInRepository } from '../../store/git.ts';
import { isOpenDirectory, realPathOf } from '../../store/real-path.ts';
import type { SessionRecord } from '../../store/records.ts';
import type { SessionNow } from '../session/current-turn.ts';
import { elsewhereError, whereStarted } from '../turn/where-it-ran.ts';

/** Far more than any agent takes, and far less than a reader of records takes. */
const LONGEST_MESSAGE = 10 << 20;

/** A text that is not empty, and not too long: a message for a session, or without one a task. @throws ZwarmError `usage` */
export function requireMessage(text: string, to: SessionId | null): void {
  const what = to === null ? 'task' : 'message';
  if (Buffer.byteLength(text) > LONGEST_MESSAGE) {
    const hint = 'put it into a file in the project, and name the file';
    throw new ZwarmError('usage', `the ${what} is longer than 10 MiB`, hint);
  }
  if (text.trim() !== '') return;
  const hint = `say what to do: zwarm ${to === null ? 'start' : `inject ${to}`} "…"`;
  throw new ZwarmError('usage', `the ${what} is empty`, hint);
}

/** Refuses where it cannot be told whether the session runs. @throws ZwarmError `unknown_liveness` */
export function requireKnown({ id, current }: Pick<SessionNow, 'id' | 'current'>): void {
  const hint = `go on with it there; if that is gone for good: zwarm inject --force ${id} "…"`;
  if (current?.verdict.status === 'unknown') throw elsewhereError(id, whereStarted(current), hint);
}

/** Refuses while a session is open in the agent's own program: there it goes on. @throws ZwarmError `in_use` */
export function requireClosed({ id, current }: Pick<SessionNow, 'id' | 'current'>): void {
  if (current === null || current.request.opened === null || !isActive(current.verdict.status)) return;
  const where = current.adapter?.name ?? "its agent's own program";
  const hint =
    current.claimer === 'no'
      ? `the command that opened it is gone, and what it started is not; to end that: zwarm kill ${id}`
      : `go on there, or leave it first; see: zwarm show ${id}`;
  throw new ZwarmError('in_use', `${id} is open in ${where}`, hint);
}

/**
 * Refuses unless the session is at rest; `force`: or unknown. `otherwise` is what else to type than to wait.
 * @throws ZwarmError `busy`, `in_use`, `unknown_liveness`
 */
export function requireAtRest({ id, current }: SessionNow, force = false, otherwise = ''): void {
  requireClosed({ id, current });
  const status = current?.verdict.status ?? 'ready';
  if (isActive(status)) {
    throw new ZwarmError(
      'busy',
      `${id} is still ${status}`,
      `wait for it first: zwarm wait ${id}${otherwise}`,
    );
  }
  if (!force) requireKnown({ id, current });
}

/** Refuses where an agent may have put a link at any part of the session's directory. @throws ZwarmError `directory_changed` */
export function requireSameDirectory({ id, record }: SessionNow): void {
  const now = realPathOf(record.working_dir);
  if (now === null || now === record.working_dir) return;
  const what = `the directory of ${id}, ${record.working_dir}, now leads to ${now}: nothing was run`;
  const hint = `put it back, or go on where it should work: zwarm fork -C DIR ${id} "…"`;
  throw new ZwarmError('directory_changed', what, hint);
}

/**
 * Refuses where the directory of a session is gone or closed: nothing could begin there. `id` is null for a new one.
 * @throws ZwarmError `not_resumable`
 */
export function requireDirectory({ working_dir: directory }: SessionRecord, id: SessionId | null): void {
  if (isOpenDirectory(directory)) return;
  const what = `the agent's directory is gone or cannot be read: ${directory}`;
  const elsewhere = id === null ? 'start it elsewhere: zwarm start' : `go on elsewhere: zwarm fork ${id}`;
  throw new ZwarmError('not_resumable', what, `make it available again, or ${elsewhere} -C DIR "…"`);
}

/**
 * Refuses a directory outside of git where the agent insists on a repository. `id` is null for a new session, the only one
 * that can be given arguments. @throws ZwarmError `usage`
 */
export function requireRepository(
  { name, readArguments }: AgentAdapter,
  { working_dir: directory, agent_args: args }: SessionRecord,
  id: SessionId | null,
): void {
  const { outsideOfGit } = readArguments(args);
  if (outsideOfGit === null || isInRepository(directory)) return;
  const what = `${name} works only in a git repository, and ${directory} is in none`;
  const without = id === null ? `; or go without: zwarm start --agent-arg=${outsideOfGit} "…"` : '';
  throw new ZwarmError('usage', what, `run \`git init\` there${without}`);
}
