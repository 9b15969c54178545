import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import { isSessionId, parseName, type SessionId } from '../../core/ids.ts';
import { isoTime } from '../../core/time.ts';
import { buildingOf, flushClaim, publishSession } from '../../store/claim.ts';
import { flush, rename, replaceFile } from '../../store/files.ts';
import * as layout from '../../store/layout.ts';
import { type Member, readMemberName } from '../../store/manifest.ts';
import { discardReceived, type Received, type Receiving, receiveArchive } from '../../store/read-archive.ts';
import { DamagedRecord, lookAt, readBlocks, unlessDamaged } from '../../store/read-file.ts';
import { encodeSession, type SessionRecord } from '../../store/records.ts';
import { hasSession } from '../../store/sessions.ts';
import { badArchive } from '../../store/tar.ts';
import { sha256Of } from '../../store/write-archive.ts';
import { requireUser } from '../access/caller.ts';
import { checkReceived, keptRecord } from '../access/unpacked-session.ts';
import {
  createStoreHere,
  type ManagerContext,
  openForReading,
  type Session,
  type Store,
} from '../context.ts';
import { requireFreeName } from '../launch/free-name.ts';
import { planThreads, putThread, type ThreadPlan } from '../launch/received-threads.ts';
import { openWindow } from '../project/open-window.ts';
import { tryCacheState } from '../session/cache-state.ts';
import { readLineageTurns } from '../session/turn-lineage.ts';

/** A session that came out of an archive. */
export interface Unpacked {
  readonly id: SessionId;
  /** Whether it was here before; then nothing was changed. */
  readonly already: boolean;
  /** Whether its agents' own files of the conversation are here, so that it goes on natively. */
  readonly native: boolean;
  /** What differs from what was packed, in words. */
  readonly warnings: readonly string[];
}

/** The bytes of an archive. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** How to unpack. */
export interface UnpackOptions {
  /** How large all files of the archive may be together. */
  readonly mostBytes: number;
  /** Ends it, with nothing unpacked. */
  readonly signal: AbortSignal;
}

/** The bytes of an archive in a file. @throws ZwarmError `usage` where it cannot be read */
export function* readArchive(path: string): Generator<Uint8Array> {
  try {
    yield* readBlocks(path);
  } catch (error) {
    throw new ZwarmError(
      'usage',
      `cannot read ${path}: ${toZwarmError(error).message}`,
      'name an archive, or give it on stdin: zwarm unpack - < FILE',
      error,
    );
  }
}

/** Whether a session has all turns of an archive, as they are there; it may have gone on since. */
function holds(session: Session, files: readonly Member[]): boolean {
  const directory = layout.sessionDir(session);
  return files.every(({ name, size, sha256 }) => {
    if (readMemberName(name)?.kind !== 'turn') return true;
    const path = `${directory}/${name}`;
    return (
      unlessDamaged(() => (lookAt(path)?.size ?? -1) >= size && sha256Of(path, size) === sha256) ?? false
    );
  });
}

/** The name for a session if it is free; else null with a warning. */
async function freeName(context: ManagerContext, store: Store, name: string | null) {
  if (name === null) return { name, warnings: [] };
  try {
    await requireFreeName(context, store, parseName(name));
    return { name, warnings: [] };
  } catch (error) {
    if (!(error instanceof ZwarmError)) throw error;
    return { name: null, warnings: [`it has no name here: ${error.message}`] };
  }
}

/** A received session that was looked through: its record as it will be kept, and what becomes of its threads. */
async function lookThrough(
  context: ManagerContext,
  received: Session,
  { files, turns }: Received,
  directory: string,
): Promise<ThreadPlan & { readonly record: SessionRecord; readonly changes: readonly string[] }> {
  try {
    const record = checkReceived(received);
    const lineage = await readLineageTurns(received, turns, context.now());
    const { projectRoot } = received.store;
    const unpacked = { at: isoTime(context.now()), turn: turns.length, history_bytes: null };
    const { record: kept, changes } = keptRecord(record, projectRoot, unpacked);
    const plan = planThreads(context, { files, directory }, lineage, kept.working_dir);
    const { history_bytes } = plan;
    return { ...plan, record: { ...kept, unpacked: { ...unpacked, history_bytes } }, changes };
  } catch (error) {
    if (!(error instanceof DamagedRecord) && toZwarmError(error).code !== 'usage') throw error;
    throw badArchive(`the archive holds no session that can be read: ${toZwarmError(error).message}`, error);
  }
}

/**
 * Takes a session out of an archive into the project, for the user alone: complete or not at all. Nothing in the archive is
 * trusted. @throws ZwarmError `not_allowed`, `bad_archive`, `format_newer`
 */
export async function unpack(
  context: ManagerContext,
  pieces: Pieces,
  options: UnpackOptions,
): Promise<Unpacked> {
  requireUser(context);
  let store = openForReading(context, true);
  const places = { session: '', threads: '' };
  const [nonce, ofThreads, unique] = [context.newNonce(), context.newNonce(), context.newNonce()];
  const manifest = await receiveArchive(pieces, options, (): Receiving => {
    store ??= createStoreHere(context);
    places.session = layout.buildingDir({ store, id: nonce as SessionId });
    places.threads = layout.buildingDir({ store, id: ofThreads as SessionId });
    return places;
  });
  if (store === null || !isSessionId(manifest.id)) throw new TypeError('an archive was received nowhere');
  try {
    const packed = { store, id: manifest.id };
    // To the readers it is a session like any other, of that name.
    const received = { store, id: `${layout.BUILDING_PREFIX}${nonce}` as SessionId };
    const plan = await lookThrough(context, received, manifest, places.threads);
    const isTaken = hasSession(packed);
    if (isTaken && holds(packed, manifest.files)) {
      discardReceived(places);
      return { id: packed.id, already: true, native: false, warnings: [] };
    }
    const session = isTaken ? { store, id: context.newId() } : packed;
    const { name, warnings } = await freeName(context, store, manifest.name);
    const temporary = `${places.session}/${layout.BUILDING_PREFIX}${unique}`;
    replaceFile(layout.sessionFile(received), encodeSession(plan.record, store.projectRoot), temporary);
    flush(places.session);
    const names = name === null ? [] : [name];
    rename(places.session, buildingOf(session, names, unique));
    publishSession(session, names, unique);
    flushClaim({ ...session, turn: 1 });
    const unput = plan.toPut.flatMap((thread) => putThread(context, thread) ?? []);
    discardReceived(places);
    const window = await openWindow(context, store);
    await tryCacheState(context, session);
    const other = isTaken ? [`another session has the id ${packed.id} here: this one got a new one`] : [];
    return {
      id: session.id,
      already: false,
      native: plan.history_bytes !== null && unput.length === 0,
      warnings: [
        ...other,
        ...warnings,
        ...plan.changes,
        ...plan.warnings,
        ...unput,
        ...(window === null ? [] : [window]),
      ],
    };
  } catch (error) {
    discardReceived(places);
    throw error;
  }
}
