import { basename, dirname, join } from 'node:path';
import { findAgent } from '../../agents/registry.ts';
import { isErrno, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { createFileOf, discard, rename } from '../../store/files.ts';
import { BUILDING_PREFIX } from '../../store/layout.ts';
import { realPathOf } from '../../store/real-path.ts';
import { readExit, readRequest } from '../../store/sessions.ts';
import { type Archive, archiveOf, type FileToPack, filesOf } from '../../store/write-archive.ts';
import { requireUser } from '../access/caller.ts';
import { catchUp } from '../adopt/opened.ts';
import type { ManagerContext, Session } from '../context.ts';
import { requireAtRest } from '../launch/preconditions.ts';
import type { SessionNow } from '../session/current-turn.ts';
import { orDamaged } from '../session/damage.ts';
import { historyOf, readLineageTurns } from '../session/turn-lineage.ts';
import { isMarkerOf } from '../turn/turn-state.ts';

/** How to pack. */
export interface PackOptions {
  /** With the files that its agents keep of the conversation. */
  readonly withThread: boolean;
  /** The version of zwarm. */
  readonly version: string;
}

/** How to write an archive; `force`: in the place of a file that is there. */
export interface SaveOptions {
  readonly force: boolean;
  readonly signal: AbortSignal;
}

/** A session that is about to be packed. */
export interface Packing extends Pick<Archive, 'send'> {
  readonly id: SessionId;
  /** The bytes of its files. */
  readonly bytes: number;
  /** What is left out, in words. */
  readonly warnings: readonly string[];
}

/** The turns with how much of their streams counts. @throws ZwarmError `unknown_liveness` where one has no recorded end */
function endedTurns({ store, id, turns }: SessionNow) {
  return turns.map((turn) => {
    const at = { store, id, turn };
    const exit = readExit(at);
    const request = readRequest(at);
    if (exit !== null || (request.opened === null && isMarkerOf(at, request)))
      return { turn, eventBytes: exit?.record.events_bytes ?? null };
    const what = `nobody has recorded the end of turn ${turn} of ${id}: elsewhere nobody could tell whether it runs`;
    const before = `pack what was before: zwarm fork ${id} --turn ${turn - 1}, then pack the fork`;
    throw new ZwarmError('unknown_liveness', what, turn > 1 ? before : null);
  });
}

/** The files that its agents keep of the threads of a session, and which of them are left out. */
async function threadsOf(context: ManagerContext, now: SessionNow) {
  const turns = await readLineageTurns(now, now.turns, context.now());
  const files = new Map<string, FileToPack>();
  const warnings = new Set<string>();
  for (const { agent, threadId } of turns) {
    const adapter = findAgent(agent ?? '');
    if (adapter === null || threadId === null) continue;
    const found = historyOf(context, adapter, threadId);
    const path = found ? realPathOf(found.path) : null;
    const file = path === null ? '' : basename(path);
    if (path === null || !adapter.history?.place(file, now.record.working_dir))
      warnings.add(`${agent} has no file of its thread ${threadId} that could be packed`);
    else files.set(path, { name: `thread/${agent}/${file}`, path, bytes: null });
  }
  return { files: [...files.values()], warnings: [...warnings] };
}

/** A session at rest as one archive, for the user alone. @throws ZwarmError `not_allowed`, `busy`, `unknown_liveness` */
export async function pack(
  context: ManagerContext,
  session: Session,
  { withThread, version }: PackOptions,
): Promise<Packing> {
  requireUser(context);
  const { store, id } = session;
  const now = await catchUp(context, session);
  requireAtRest(now, true);
  return orDamaged(session, async () => {
    const own = filesOf(now, endedTurns(now));
    const threads = withThread ? await threadsOf(context, now) : { files: [], warnings: [] };
    const about = { zwarm: version, id, name: store.names.get(id) ?? null };
    const { files, send } = archiveOf(about, [...own, ...threads.files]);
    return { id, bytes: files.reduce((sum, { size }) => sum + size, 0), warnings: threads.warnings, send };
  });
}

/** Writes what is sent to a file for the user alone; nothing half stays. @throws ZwarmError `usage`, `interrupted` */
export async function saveFile(
  { newNonce }: ManagerContext,
  { send }: Pick<Packing, 'send'>,
  path: string,
  { force, signal }: SaveOptions,
): Promise<void> {
  const temporary = join(dirname(path), `${BUILDING_PREFIX}${newNonce()}.${basename(path)}`);
  try {
    await send((pieces) => createFileOf(force ? temporary : path, pieces, null), signal);
    if (force) rename(temporary, path);
  } catch (error) {
    discard(temporary);
    if (!isErrno(error, 'EEXIST')) throw error;
    throw new ZwarmError(
      'usage',
      `there is a file ${path}`,
      'name another one with -o FILE, or add --force',
      error,
    );
  }
}
