import { fileSystemOf } from '../../store/file-system.ts';
import type { Store } from '../context.ts';

/**
 * What to tell the user, when the first session of a project begins, of a state directory that goes with a container or a
 * restart of the machine while the project itself stays; or null.
 */
export function warnOfVolatileState({ root, state, projectPath }: Store): string | null {
  const { passing } = fileSystemOf(root);
  if (passing === null || fileSystemOf(projectPath).passing !== null) return null;
  return `${state} lies on ${passing}, and may be gone sooner than the project; set ZWARM_DIR to a directory that stays`;
}
