import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../core/errors.ts';
import { DamagedRecord, entriesOf } from './read-file.ts';

/**
 * What is odd about something below a state directory: it belongs to another user, others may write, read or enter it, it
 * is neither file nor directory (a link, a FIFO, a device), or it could not be looked at.
 */
export type Oddity = 'foreign' | 'writable' | 'readable' | 'special' | 'closed';

/** How often something odd was found, and where first. */
export interface OddCount {
  readonly count: number;
  readonly first: string;
}

/** What was found below a state directory. `whole` is false where there is more than was looked at. */
export interface Inspection {
  readonly looked: number;
  readonly whole: boolean;
  readonly odd: ReadonlyMap<Oddity, OddCount>;
}

/** An agent can plant a million files: more than these are not looked at. */
const ENTRY_LIMIT = 200_000;

function odditiesOf(stat: Stats, uid: number): Oddity[] {
  const foreign: Oddity[] = stat.uid === uid ? [] : ['foreign'];
  // The mode of a link says nothing.
  if (!stat.isFile() && !stat.isDirectory()) return [...foreign, 'special'];
  if ((stat.mode & 0o022) !== 0) return [...foreign, 'writable'];
  return (stat.mode & 0o055) === 0 ? foreign : [...foreign, 'readable'];
}

/** Whatever keeps us from looking at one thing: closed, swapped under our hands, or too deep for a path. */
function isObstacle(error: unknown): boolean {
  const codes = ['EACCES', 'EPERM', 'ELOOP', 'ENOTDIR', 'ENAMETOOLONG', 'EIO'];
  return error instanceof DamagedRecord || codes.includes(errnoOf(error) ?? '');
}

/**
 * Looks at owner, mode and kind of a state directory and everything below it. Follows no link, opens no file, and
 * stops after `limit` entries.
 */
export function inspectTree(root: string, uid: number, limit = ENTRY_LIMIT): Inspection {
  const odd = new Map<Oddity, OddCount>();
  const note = (what: Oddity, path: string): void => {
    const known = odd.get(what);
    odd.set(what, { count: (known?.count ?? 0) + 1, first: known?.first ?? path });
  };
  const waiting = [root];
  let looked = 0;
  while (looked < limit) {
    const path = waiting.pop();
    if (path === undefined) break;
    looked += 1;
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) continue;
      for (const what of odditiesOf(stat, uid)) note(what, path);
      if (!stat.isDirectory()) continue;
      for (const { name } of entriesOf(path)) waiting.push(join(path, name));
    } catch (error) {
      if (!isObstacle(error)) throw error;
      note('closed', path);
    }
  }
  return { looked, whole: waiting.length === 0, odd };
}
