import type { FileTurnEnd } from '../../core/conversation/session-file.ts';
import { sessionIdOf } from '../../core/digest.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isModelName } from '../../core/model.ts';
import { isoTime } from '../../core/time.ts';
import { type Claim, createSession, type DoneTurn } from '../../store/claim.ts';
import { flush } from '../../store/files.ts';
import { gitStateOf } from '../../store/git.ts';
import { sessionsDir } from '../../store/layout.ts';
import { listStores } from '../../store/project-store.ts';
import type { Adopted, RequestRecord } from '../../store/records.ts';
import { hasSession } from '../../store/sessions.ts';
import {
  contextOf,
  createStoreHere,
  locateProject,
  type ManagerContext,
  openForReading,
  openStore,
  type Session,
  stateDirectory,
} from '../context.ts';
import { newRecord } from '../launch/new-record.ts';
import { newRequest } from '../launch/new-request.ts';
import { openWindow } from '../project/open-window.ts';
import { tryCacheState } from '../session/cache-state.ts';

/** A turn that something else ran. */
export interface FoundTurn {
  readonly prompt: string | null;
  /** Where its agent worked. */
  readonly directory: string;
  /** Its whole stream, or the lines of it. */
  readonly events: DoneTurn['events'];
  readonly stream: Adopted['stream'];
  /** The agent's thread, where the stream does not name it. */
  readonly threadId: string | null;
  /** The thread that was continued; null for a new one. */
  readonly continued: string | null;
  readonly version: string | null;
  readonly startedMs: number | null;
  /** When the first that is known of it happened. */
  readonly atMs: number | null;
  /** How it ended, once its events were read. */
  end(): Omit<FileTurnEnd, 'ended'> & { readonly exitCode: number | null };
}

/** Such a turn as one of ours; `asked` is what ran it where that is not what the session was started with, and who asked for it. */
export function adoptedTurn(
  context: ManagerContext,
  kind: 'imported' | 'external',
  turn: FoundTurn,
  asked: Partial<Pick<RequestRecord, 'runs' | 'by'>> = {},
): Claim {
  const { prompt, events, stream, threadId, continued, startedMs, atMs } = turn;
  const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
  const at = isoTime(atMs ?? context.now());
  const adopted = { thread_id: threadId, stream, started_at: isoOrNull(startedMs) };
  return {
    request: newRequest(context, kind, { at, adopted, ...asked }),
    prompt: prompt === null ? null : Buffer.from(prompt),
    done: {
      events,
      launch: {
        v: 1,
        argv: [],
        program: '',
        agent_version: turn.version,
        thread_id: continued,
        forks: false,
        how: continued === null ? 'fresh' : 'native',
        confined_by: null,
        why: null,
        working_dir: turn.directory,
        account: null,
        time_zone: null,
        launcher: null,
        at,
      },
      exit(events_bytes) {
        const { endedMs, exitCode: code, interrupted: cancelled } = turn.end();
        const ended_at = isoOrNull(endedMs);
        return { v: 1, code, why: null, detail: null, cancelled, uptime: null, ended_at, events_bytes };
      },
    },
  };
}

/** A conversation that something else held. */
export interface Found {
  /** What it is known by where it comes from: the same text is the same session. */
  readonly key: string;
  readonly agent: string;
  readonly directory: string;
  readonly model: string | null;
  readonly task: string;
  /** When it began (ms since the epoch); null where that is not known. */
  readonly beganMs: number | null;
  /** Its turns, read one after the other. */
  readonly turns: Iterable<FoundTurn>;
}

/** A session that was adopted, or that was there already. */
export interface AdoptedSession extends Session {
  readonly isNew: boolean;
  readonly warnings: readonly string[];
}

function* claimsOf(context: ManagerContext, { turns }: Found): Generator<Claim> {
  for (const turn of turns) yield adoptedTurn(context, 'imported', turn);
}

/**
 * Makes a session of a conversation, in the project of its own directory; where that is gone, in this one. `known` finds a
 * session of that project that is the same. @throws ZwarmError
 */
export async function adoptSession(
  context: ManagerContext,
  found: Found,
  known: (context: ManagerContext) => Promise<SessionId | null>,
): Promise<AdoptedSession> {
  const here = contextOf(context, found.directory);
  const existing = openForReading(here, true);
  const id = sessionIdOf(found.key);
  // Also where its directory was there when it was imported, and is not any more, or the other way round.
  const holder = listStores(stateDirectory(context)).find((store) => hasSession({ store, id }));
  if (holder !== undefined)
    return { store: openStore(context, holder, true), id, isNew: false, warnings: [] };
  const same = existing && (await known(here));
  if (existing !== null && same !== null) return { store: existing, id: same, isNew: false, warnings: [] };
  const { agent, task, beganMs } = found;
  const model = found.model !== null && isModelName(found.model) ? found.model : undefined;
  const { record } = await newRecord(here, existing, { agent, task, ...(model && { model }) });
  const store = existing ?? createStoreHere(here);
  const session = { store, id };
  const unique = here.newNonce();
  const made = {
    ...record,
    git: gitStateOf(record.working_dir),
    created_at: beganMs === null ? record.created_at : isoTime(beganMs),
    imported_at: record.created_at,
  };
  try {
    createSession({
      ...session,
      record: made,
      names: [],
      claims: claimsOf(here, found),
      copies: [],
      unique,
    });
  } catch (error) {
    if (error instanceof ZwarmError && error.code === 'lost_race' && hasSession(session))
      return { ...session, isNew: false, warnings: [] };
    throw error;
  }
  flush(sessionsDir(store.root));
  await tryCacheState(here, session);
  const what = found.directory === '' ? 'its record names no directory' : `${found.directory} is not there`;
  const elsewhere = here !== context ? null : `${what}: the session is to work here instead`;
  // A file says where its thread worked: in another project nothing is made because of that.
  const isOurs = locateProject(here).root === locateProject(context).root;
  const warnings = [elsewhere, isOurs ? await openWindow(here, store) : null];
  return { ...session, isNew: true, warnings: warnings.filter((warning) => warning !== null) };
}
