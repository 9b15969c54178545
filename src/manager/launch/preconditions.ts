import type { AgentAdapter } from '../../agents/agent.ts';
import { ZwarmError } from '../../core/errors.ts';
import { isActive } from '../../core/status.ts';
import { isInRepository } from '../../store/git.ts';
import { realPathOf } from '../../store/real-path.ts';
import type { SessionRecord } from '../../store/records.ts';
import type { SessionNow } from '../session/current-turn.ts';
import { elsewhereError, starterOf } from '../turn/where-it-ran.ts';

/** Far more than any agent takes (Codex: 1,048,576 characters), and far less than a reader of records takes. */
const LONGEST_MESSAGE = 10 << 20;

/** A message that is not empty, and not too long. @throws ZwarmError `usage` */
export function requireMessage(text: string, what: 'task' | 'message'): void {
  if (Buffer.byteLength(text) > LONGEST_MESSAGE) {
    const hint = 'put it into a file in the project, and name the file';
    throw new ZwarmError('usage', `the ${what} is longer than 10 MiB`, hint);
  }
  if (text.trim() !== '') return;
  const hint = `say what to do: zwarm ${what === 'task' ? 'start' : 'inject ID'} "…"`;
  throw new ZwarmError('usage', `the ${what} is empty`, hint);
}

/** Refuses unless the session is at rest; `force`: or unknown. @throws ZwarmError `busy`, `unknown_liveness` */
export function requireAtRest({ id, current }: SessionNow, force = false): void {
  const { status } = current.verdict;
  if (isActive(status))
    throw new ZwarmError('busy', `${id} is still ${status}`, `wait for it first: zwarm wait ${id}`);
  const hint = `go on with it there; if that is gone for good: zwarm inject --force ${id} "…"`;
  if (status === 'unknown' && !force) throw elsewhereError(id, starterOf(current), hint);
}

/**
 * Refuses where an agent may have put a link at any part of the session's directory. Where that is gone, the turn runner
 * records it. @throws ZwarmError `directory_changed`
 */
export function requireSameDirectory({ id, record }: SessionNow): void {
  const now = realPathOf(record.working_dir);
  if (now === null || now === record.working_dir) return;
  const what = `the directory of ${id}, ${record.working_dir}, now leads to ${now}: nothing was run`;
  const hint = 'put it back, or start a new session where it should work: zwarm start -C DIR "…"';
  throw new ZwarmError('directory_changed', what, hint);
}

/** Refuses a directory outside of git where the agent insists on a repository. @throws ZwarmError `usage` */
export function requireRepository(
  { name, readArguments }: AgentAdapter,
  { working_dir: directory, agent_args: args }: SessionRecord,
  elsewise: string,
): void {
  if (!readArguments(args).needsRepository || realPathOf(directory) === null || isInRepository(directory))
    return;
  const what = `${name} works in a git repository alone, and ${directory} is in none`;
  throw new ZwarmError('usage', what, `run \`git init\` there${elsewise}`);
}

/** The session's agent is one that this zwarm knows. @throws ZwarmError `not_resumable` */
export function requireKnownAgent({ adapter, record }: SessionNow): AgentAdapter {
  if (adapter !== null) return adapter;
  const what = `this zwarm knows no agent ${JSON.stringify(record.agent)}`;
  throw new ZwarmError('not_resumable', what, 'update zwarm');
}
