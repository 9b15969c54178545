import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errnoOf } from '../core/errors.ts';
import { isWithin } from '../core/path.ts';
import { ANY_DIRECTORY } from '../core/rules/policy.ts';

/** An entry of `allowed_dirs`: as it was written, and the real path that it leads to now, or why it allows nothing. */
export type Directory =
  | { readonly entry: string; readonly path: string }
  | { readonly entry: string; readonly missing: string };

/** The path of an entry, whose links are not resolved yet; null for one below an unknown home. */
function namedPath(entry: string, base: string, home: string | null): string | null {
  if (entry === ANY_DIRECTORY) return entry;
  if (!/^~(\/|$)/.test(entry)) return resolve(base, entry);
  return home === null ? null : resolve(`${home}${entry.slice(1)}`);
}

/** Where an entry leads to; `*` to itself, a relative one from `base`, `~` from `home` (absolute, or null). */
export function directoryOf(entry: string, base: string, home: string | null): Directory {
  const path = namedPath(entry, base, home);
  if (path === null) return { entry, missing: 'HOME is not set' };
  if (path === ANY_DIRECTORY) return { entry, path };
  try {
    return { entry, path: realpathSync(path) };
  } catch (error) {
    const errno = errnoOf(error);
    return { entry, missing: errno === 'ENOENT' ? 'there is none' : `it cannot be looked at (${errno})` };
  }
}

/** The first of the directories above a path that is a key of the map; looked up, as an agent may have written thousands. */
function above<T>(path: string | null, directories: ReadonlyMap<string | null, T>): T | undefined {
  if (path === null || dirname(path) === path) return undefined;
  return directories.get(dirname(path)) ?? above(dirname(path), directories);
}

/**
 * Where the entries of a list lead to. One that lies in another is left out, or allows nothing where it leads out: an
 * agent that may write in the outer one can put a link in its place.
 */
export function directoriesOf(
  entries: readonly string[],
  base: string,
  home: string | null,
): readonly Directory[] {
  const all = entries.map((entry) => ({
    ...directoryOf(entry, base, home),
    named: namedPath(entry, base, home),
  }));
  const found = all.filter((one) => 'path' in one);
  const byName = new Map(found.map((one) => [one.named, one]));
  // Only of the outermost it counts where they lead: a link that an agent has planted must not rule out the others.
  const outermost = found.filter(({ named }) => above(named, byName) === undefined);
  const outer = new Map(outermost.flatMap((one) => [[one.path, one] as const, [one.named, one] as const]));
  return all.flatMap((one): Directory | readonly Directory[] => {
    const around = 'path' in one ? above(one.named, outer) : undefined;
    if (around === undefined || !('path' in one)) return one;
    if (isWithin(one.path, around.path)) return [];
    const missing = `it lies in ${JSON.stringify(around.entry)}, where an agent can lead it anywhere; name ${JSON.stringify(one.path)} itself`;
    return { entry: one.entry, missing };
  });
}
