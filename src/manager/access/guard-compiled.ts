import { dirname, join } from 'node:path';
import { keepNothingCompiled } from '../../store/compiled.ts';
import { BUILDING_PREFIX, compiledDir } from '../../store/layout.ts';
import type { ManagerContext, Store } from '../context.ts';
import type { Allowed } from './reach.ts';
import { compiledDirectories } from './relied-on.ts';

/**
 * Has nothing compiled of zwarm kept any more where the agent of a turn is allowed to write zwarm's records: V8 runs
 * whatever it is given. For every turn before its agent begins, once the state directory is there.
 */
export function guardCompiled(context: ManagerContext, { state }: Store, allowed: readonly Allowed[]): void {
  if (!allowed.some(({ allowedBy }) => allowedBy === 'reachable_state')) return;
  for (const path of new Set([compiledDir(state), ...compiledDirectories(context)]))
    keepNothingCompiled(path, context.uid, join(dirname(path), `${BUILDING_PREFIX}${context.newNonce()}`));
}
