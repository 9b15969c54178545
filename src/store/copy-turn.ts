import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { copyFile, flush, makeDir } from './files.ts';
import { cancelNameOf, exitCodeOfName, TURN_FILES } from './layout.ts';
import { DamagedRecord, entriesOf, lookAt, openRegular } from './read-file.ts';

/** The records of a turn; whether it was settled matters only to the session that it ran in. */
const COPIED = new Set(Object.values(TURN_FILES).filter((name) => name !== TURN_FILES.notified));

function belongs(name: string): boolean {
  return (
    (COPIED as ReadonlySet<string>).has(name) || exitCodeOfName(name) !== undefined || cancelNameOf(name)
  );
}

/**
 * Copies the records of a turn that has ended into a new directory, durable when this returns. Never a hard link: either
 * of the two may be removed. `eventBytes`: how much of its stream counts, null for all of it. @throws DamagedRecord
 */
export function copyTurn(from: string, to: string, eventBytes: number | null): void {
  makeDir(to);
  for (const { name } of entriesOf(from)) {
    const path = join(from, name);
    const file = belongs(name) ? openRegular(path) : null;
    if (file === null) continue;
    try {
      const bytes = name === TURN_FILES.events ? Math.min(file.size, eventBytes ?? file.size) : file.size;
      copyFile(file.fd, join(to, name), bytes, file.mtimeMs);
    } finally {
      closeSync(file.fd);
    }
  }
  // The other session was removed meanwhile.
  if (lookAt(join(to, TURN_FILES.request)) === null) throw new DamagedRecord(`${from} cannot be copied`);
  flush(to);
}
