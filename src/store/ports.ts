import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { isErrno } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { discard, makeDirs, symlink } from './files.ts';
import { portSlot, portsDir } from './layout.ts';
import { entriesOf, unlessDamaged } from './read-file.ts';

// ports/<n> is a link that names the session whose slot of ten ports that is. It is made by one symlink(2).

const FIRST_PORT = 20_000;
const PORTS = 10;
/** Below the ports that systems give to whoever asks for any. */
const SLOTS = 1000;

/** Takes ten ports for the worktree of a session; the first of them, or null where all are taken. */
export function takePorts(state: string, owner: SessionId): number | null {
  makeDirs(portsDir(state));
  for (let slot = 0; slot < SLOTS; slot += 1) {
    try {
      symlink(owner, portSlot(state, slot));
      return FIRST_PORT + slot * PORTS;
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
    }
  }
  return null;
}

/** Gives the ports of a session back. */
export function givePortsBack(state: string, owner: SessionId): void {
  for (const { name } of unlessDamaged(() => entriesOf(portsDir(state))) ?? []) {
    const slot = `${portsDir(state)}/${name}`;
    if (ownerOf(slot) === owner) discard(slot);
  }
}

function ownerOf(slot: string): string | null {
  try {
    // Older ones name the directory of the store before the session.
    return basename(readlinkSync(slot));
  } catch (error) {
    // EINVAL: it is not a link.
    if (isErrno(error, 'ENOENT', 'EINVAL')) return null;
    throw error;
  }
}
