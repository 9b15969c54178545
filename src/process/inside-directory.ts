import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What is wrong with a file of a project that lies behind a link. */
export const BEHIND_A_LINK = 'it is behind a symbolic link, which an agent may have put there';

/**
 * Acts in a directory, with names relative to it. Whatever an agent puts in its place meanwhile, `act` reads and writes in
 * the one that was entered. The directory above must be one that no agent can replace.
 * @throws Error where a link has led elsewhere
 */
export function insideDirectory<T>(path: string, act: () => T): T {
  const before = process.cwd();
  process.chdir(path);
  try {
    if (process.cwd() !== join(realpathSync(dirname(path)), basename(path))) throw new Error(BEHIND_A_LINK);
    return act();
  } finally {
    process.chdir(before);
  }
}
