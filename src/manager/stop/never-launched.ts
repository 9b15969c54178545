import { ZwarmError } from '../../core/errors.ts';
import { readRunner } from '../../store/sessions.ts';
import type { ManagerContext } from '../context.ts';
import type { SessionNow } from '../session/current-turn.ts';
import { publishCancel } from './request-cancel.ts';

/**
 * Makes the death of a launch final before anybody acts on it. The runner looks for `cancel.json` after it has shown
 * itself, we look for the runner after we have published it: at least one of us sees the other, so a launch that was
 * declared dead can never start late. @throws ZwarmError `busy` when the runner has shown itself after all
 */
export function declareNeverLaunched(context: ManagerContext, { id, current }: SessionNow): void {
  const { status } = current.verdict;
  // An unknown one gets here only when the user says that it does not run.
  if ((status !== 'lost' && status !== 'unknown') || current.runner !== null) return;
  publishCancel(context, current, 'never-launched');
  if (readRunner(current) === null) return;
  throw new ZwarmError('busy', `${id} has started after all`, `wait for it first: zwarm wait ${id}`);
}
