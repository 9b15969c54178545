import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { createFile, discard, flush, makeDirs, removeTree } from './files.ts';
import { readSmall } from './read-file.ts';
import { putUserFile } from './user-files.ts';

/*
 * Seals: the digest of each session.json, kept in the user's own state directory, which a sandboxed agent cannot
 * write. A turn is launched only from a record that still has the digest it was created with.
 */

function digest(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What a state directory is called in the user's own: 16 hexadecimal digits of its path. */
export function storeName(root: string): string {
  return digest(root).slice(0, 16);
}

/** The directory of a state directory's seals: a copy of a session elsewhere has none. */
export function sealsOf(sealsDir: string, root: string): string {
  return join(sealsDir, storeName(root));
}

function sealFile(sealsDir: string, root: string, id: SessionId): string {
  return join(sealsOf(sealsDir, root), id);
}

/** What a seal holds: the digest of the record, and who started the session. */
function sealText(record: string | Uint8Array, source: string): string {
  return `${digest(record)}\n${source}\n`;
}

/** Seals a session's record, and who started it. @throws ZwarmError `lost_race` when that id was sealed before, `io` where seals cannot be kept */
export function seal(
  sealsDir: string,
  root: string,
  id: SessionId,
  recordText: string,
  source: string,
): void {
  const file = sealFile(sealsDir, root, id);
  try {
    makeDirs(dirname(file));
    createFile(file, sealText(recordText, source));
    flushSeal(file);
  } catch (error) {
    // Not a directory in the way but that very seal: the id is taken.
    if (errnoOf(error) === 'EEXIST' && lstatSync(file, { throwIfNoEntry: false })) {
      throw new ZwarmError('lost_race', `the id ${id} is taken`, 'try again', error);
    }
    const why = error instanceof Error ? error.message : String(error);
    const hint =
      'zwarm keeps its seals there, out of the reach of agents; set XDG_STATE_HOME to a directory of yours';
    throw new ZwarmError('io', `cannot seal the session below ${sealsDir}: ${why}`, hint, error);
  }
}

function flushSeal(file: string): void {
  try {
    flush(dirname(file));
  } catch (error) {
    discard(file);
    throw error;
  }
}

/** Seals a record anew, whatever it was before: the user has seen it as it is now. `unique` as for putUserFile. */
export function reseal(
  sealsDir: string,
  root: string,
  id: SessionId,
  recordBytes: Uint8Array,
  source: string,
  unique: string,
): void {
  putUserFile(sealFile(sealsDir, root, id), sealText(recordBytes, source), unique);
}

/** Whether a session's record is the one that was sealed. */
export function isSealed(sealsDir: string, root: string, id: SessionId, recordBytes: Uint8Array): boolean {
  return sealedDigest(sealsDir, root, id) === digest(recordBytes);
}

function sealedLines(sealsDir: string, root: string, id: SessionId): readonly string[] {
  return (
    readSmall(sealFile(sealsDir, root, id))
      ?.bytes.toString()
      .split('\n') ?? []
  );
}

function sealedDigest(sealsDir: string, root: string, id: SessionId): string | undefined {
  return sealedLines(sealsDir, root, id)[0];
}

/** Who started a session, as it was sealed; null without a seal, or with one that does not say. */
export function sealedSource(sealsDir: string, root: string, id: SessionId): string | null {
  const [sealed, source] = sealedLines(sealsDir, root, id);
  return sealed === undefined ? null : source || null;
}

/** Makes sure that a session's record is the one that was sealed. @throws ZwarmError `seal_broken` */
export function checkSeal(sealsDir: string, root: string, id: SessionId, recordBytes: Uint8Array): void {
  const sealed = sealedDigest(sealsDir, root, id);
  if (sealed === digest(recordBytes)) return;
  const what = sealed === undefined ? 'has no seal of yours' : 'was changed after it was created';
  throw new ZwarmError(
    'seal_broken',
    `session.json of ${id} ${what}: nothing was run`,
    `an agent may have edited it, or the state directory was moved or copied; look, and seal it anew: zwarm config trust ${id}`,
  );
}

/** Removes the seal of a session that is gone. */
export function unseal(sealsDir: string, root: string, id: SessionId): void {
  removeTree(sealFile(sealsDir, root, id));
}

/** Removes the seal of a session that did not come into being. Never throws; `clean` finds what stays. */
export function discardSeal(sealsDir: string, root: string, id: SessionId): void {
  discard(sealFile(sealsDir, root, id));
}
