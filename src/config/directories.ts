import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { errnoOf } from '../core/errors.ts';
import { ANY_DIRECTORY } from '../core/rules/policy.ts';

/** An entry of `allowed_dirs`: as it was written, and the real path that it leads to now, or why to none. */
export type Directory =
  | { readonly entry: string; readonly path: string }
  | { readonly entry: string; readonly missing: string };

/**
 * Where an entry leads to; `*` to itself, a relative one from `base` on.
 * @param home absolute, for `~`; null where none is known
 */
export function directoryOf(entry: string, base: string, home: string | null): Directory {
  if (entry === ANY_DIRECTORY) return { entry, path: entry };
  const below = /^~(\/|$)/.test(entry);
  if (below && home === null) return { entry, missing: 'HOME is not set' };
  try {
    return { entry, path: realpathSync(below ? `${home}${entry.slice(1)}` : resolve(base, entry)) };
  } catch (error) {
    const errno = errnoOf(error);
    return { entry, missing: errno === 'ENOENT' ? 'there is none' : `it cannot be looked at (${errno})` };
  }
}
