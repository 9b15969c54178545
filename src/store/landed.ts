import { replaceFile } from './files.ts';
import { BUILDING_PREFIX, landedFile, type SessionDir, sessionDir } from './layout.ts';
import { readText, unlessDamaged } from './read-file.ts';
import { encode, type LandedRecord, parse } from './records.ts';

/** What of a session's tree was brought onto a branch last, or was about to be; null where nothing was. */
export function readLanded(session: SessionDir): LandedRecord | null {
  const text = unlessDamaged(() => readText(landedFile(session)));
  return text === null ? null : unlessDamaged(() => parse.landed(text));
}

/** Records it. `unique` keeps two writers' temporary files apart. */
export function writeLanded(session: SessionDir, landed: LandedRecord, unique: string): void {
  replaceFile(landedFile(session), encode(landed), `${sessionDir(session)}/${BUILDING_PREFIX}${unique}`);
}
