import { usageError } from '../core/errors.ts';
import { requireMessage } from '../manager/launch/preconditions.ts';
import { type ReportOptions, reportStarted } from './await-answer.ts';
import { type RUN_LIMIT_OPTIONS, requireWaiting, runLimitsOf } from './common-options.ts';
import type { Verb } from './context.ts';
import type { Values } from './define-verb.ts';
import { withTask } from './task-input.ts';

/** Who is to go on with a thread, for how long, and how to tell of it. */
interface Resume extends ReportOptions, Values<typeof RUN_LIMIT_OPTIONS> {
  readonly agents: readonly string[];
  readonly model: string | undefined;
  readonly file: string | undefined;
}

/**
 * Imports a thread, and gives its session the task as its next message. What is refused leaves no session that was not there.
 * @throws ZwarmError `usage`, `not_found`, … as import and inject
 */
export async function resumeThread(
  verb: Verb,
  task: string | undefined,
  thread: string,
  { agents, model, file, ...options }: Resume,
): Promise<void> {
  requireWaiting(options);
  if (agents.length > 1) throw usageError('one agent goes on with a thread', 'give one -a');
  const { manager } = verb;
  const { retries } = options;
  const next = { agent: agents[0], model, retries, runLimits: runLimitsOf(options) };
  const source = { argument: task, file, what: 'task', line: 'zwarm start' } as const;
  const started = await withTask(verb.context, source, {
    check: async () => undefined,
    async use(message) {
      requireMessage(message, null);
      const { id, turns, is_new: isNew, warnings } = await manager.importThread(thread);
      try {
        const begun = await manager.inject(id, message, next);
        for (const warning of warnings) verb.warn(warning);
        return begun;
      } catch (error) {
        // A message that was taken stays.
        if (isNew && (await manager.summary(id)).turn === turns) await manager.remove(id);
        throw error;
      }
    },
  });
  await reportStarted(verb, started, options);
}
