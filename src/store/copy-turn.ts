import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { copyFile, flush, makeDir } from './files.ts';
import { cancelNameOf, exitCodeOfName, TURN_FILES } from './layout.ts';
import { DamagedRecord, entriesOf, lookAt, openRegular, unlessDamaged } from './read-file.ts';

/** All that tells what a turn was and how it ended; that it was settled is the business of the session that it ran in. */
const COPIED = new Set(Object.values(TURN_FILES).filter((name) => name !== TURN_FILES.notified));

const NEEDED: ReadonlySet<string> = new Set([
  TURN_FILES.request,
  TURN_FILES.prompt,
  TURN_FILES.events,
  TURN_FILES.exit,
]);

function belongs(name: string): boolean {
  return (
    (COPIED as ReadonlySet<string>).has(name) || exitCodeOfName(name) !== undefined || cancelNameOf(name)
  );
}

/**
 * Copies the records of a turn that has ended into a new directory, durable when this returns. Never a hard link: either
 * of the two may be removed. `eventBytes`: what counts of its stream, null for all of it. @throws DamagedRecord
 */
export function copyTurn(from: string, to: string, eventBytes: number | null): void {
  makeDir(to);
  for (const { name } of entriesOf(from)) {
    const path = join(from, name);
    // What nobody acts upon may have become anything in an agent's hands.
    const file = !belongs(name)
      ? null
      : NEEDED.has(name)
        ? openRegular(path)
        : unlessDamaged(() => openRegular(path));
    if (file === null) continue;
    try {
      const bytes = name === TURN_FILES.events ? Math.min(file.size, eventBytes ?? file.size) : file.size;
      copyFile(file.fd, join(to, name), bytes, file.mtimeMs);
    } finally {
      closeSync(file.fd);
    }
  }
  // Where the other session was removed meanwhile there was nothing to copy.
  if (lookAt(join(to, TURN_FILES.request)) === null) throw new DamagedRecord(`${from} cannot be copied`);
  flush(to);
}
