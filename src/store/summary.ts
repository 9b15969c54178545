import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ChangedFiles } from '../core/conversation/session-reader.ts';
import type { SessionId } from '../core/ids.ts';
import type { RecordSummary, SessionState } from '../core/session.ts';
import type { Spent, Unmeasured } from '../core/spending.ts';
import { replaceFile } from './files.ts';
import { BUILDING_PREFIX, sessionDir, summaryFile, turnDir } from './layout.ts';
import { readBeginning } from './read-file.ts';
import { encode, recordedPath } from './records.ts';
import type { SessionStore, StoredSession } from './sessions.ts';

/*
 * `summary.json`: all that a list shows of a session, as it stood when its newest turn ended. A cache for lists, which
 * read ten thousand: into a shared buffer, in ASCII, which needs no decoding, with one `lstat` that says whether it is
 * current. Anything unusual is ignored: then the reader computes.
 */

/** What a list shows of a session, and what its own turns used. */
export type Listed = RecordSummary &
  SessionState & { readonly spent: readonly Spent[]; readonly unmeasured: readonly Unmeasured[] };

/** What a list shows of a session, and the number of the newest turn at which it was written. */
export interface Summary {
  readonly newest: number;
  readonly listed: Listed;
  /** What its page shows of the files that it changed; absent until all of its streams were read. */
  readonly changed?: ChangedFiles;
}

/** A longer summary is ignored, and the session is computed. */
const LONGEST = 1 << 16;

/** Whether this version of the fold has written it. Decoding its fields would cost a list up to a third of its time. */
function isOfFold(json: unknown, fold: number): json is Summary {
  return (
    typeof json === 'object' && json !== null && 'fold' in json && json.fold === fold && 'listed' in json
  );
}

/** The summary of a session if it is current. */
function readCurrent({ store, id }: StoredSession, fold: number, buffer: Buffer): Summary | null {
  try {
    const length = readBeginning(summaryFile({ store, id }), buffer);
    if (length === LONGEST) return null;
    const json: unknown = JSON.parse(buffer.toString('latin1', 0, length));
    if (!isOfFold(json, fold)) return null;
    const next = turnDir({ store, id, turn: json.newest + 1 });
    // Anything in the place of the next turn, a tombstone or damage too.
    return lstatSync(next, { throwIfNoEntry: false }) === undefined ? json : null;
  } catch {
    // Missing, unreadable or not JSON: computing the row reports whatever else is wrong.
    return null;
  }
}

/** Reads the summaries of a store: null where there is none that is current. The session must be a real directory. */
export function createSummaryReader(store: SessionStore, fold: number): (id: SessionId) => Listed | null {
  const buffer = Buffer.allocUnsafeSlow(LONGEST);
  return (id) => {
    const listed = readCurrent({ store, id }, fold, buffer)?.listed;
    if (listed === undefined) return null;
    return { ...listed, working_dir: resolve(store.projectRoot, listed.working_dir ?? '') };
  };
}

/** The changed files of a session, if its summary is current and knows them. */
export function readChangedFiles(session: StoredSession, fold: number): ChangedFiles | null {
  return readCurrent(session, fold, Buffer.allocUnsafe(LONGEST))?.changed ?? null;
}

/** The same JSON document in ASCII. */
function asciiJson(json: string): string {
  return json.replace(/[\x80-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Replaces the summary of a session. `unique` keeps two writers' temporary files apart. @throws DamagedRecord */
export function writeSummary(
  session: StoredSession,
  fold: number,
  { newest, listed, changed }: Summary,
  unique: string,
): void {
  const working_dir = recordedPath(listed.working_dir ?? '', session.store.projectRoot);
  const recorded = { v: 1, fold, newest, listed: { ...listed, working_dir }, changed };
  const temporary = `${sessionDir(session)}/${BUILDING_PREFIX}${unique}`;
  replaceFile(summaryFile(session), asciiJson(encode(recorded)), temporary);
}
