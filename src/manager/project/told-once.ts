import { join } from 'node:path';
import { publishName } from '../../store/files.ts';
import type { Store } from '../context.ts';

/** Whether something is to be told that a project's user is told once; `name` is that of an empty file in the store. */
export function isToTell({ root }: Store, name: 'window-told' | 'git-told'): boolean {
  try {
    return publishName(join(root, name));
  } catch {
    // There is no room for that: it is told again.
    return true;
  }
}
