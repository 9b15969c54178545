import { findAgent } from '../../agents/registry.ts';
import {
  type FileThread,
  survey,
  type ThreadInfo,
  turnsOfFile,
} from '../../core/conversation/session-file.ts';
import { CLOCK_SLACK_MS } from '../../core/conversation/trajectory.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { Line } from '../../core/events.ts';
import type { SessionId } from '../../core/ids.ts';
import type { SessionSummary } from '../../core/session.ts';
import { isMarkerKind } from '../../core/turn-kinds.ts';
import { DamagedRecord, lookAt } from '../../store/read-file.ts';
import { realPathOf } from '../../store/real-path.ts';
import { listTurns, readSessionRecord } from '../../store/sessions.ts';
import { requireUser } from '../access/caller.ts';
import { type AdoptedSession, adoptSession, type FoundTurn } from '../adopt/adopt-session.ts';
import { takeInMore } from '../adopt/gone-on.ts';
import { type PythonSession, readPythonStore } from '../adopt/python-store.ts';
import { findFile, linesOf, listThreads, type SessionFile } from '../adopt/session-files.ts';
import { type ManagerContext, openForReading, type Session } from '../context.ts';
import { orDamaged } from '../session/damage.ts';
import { readLineageTurns, threadToGoOn } from '../session/turn-lineage.ts';
import { list } from './ls.ts';

export type { PythonSession } from '../adopt/python-store.ts';

/** A session that was imported. */
export interface Imported {
  readonly id: SessionId;
  /** The project in which it is now. */
  readonly project: string;
  readonly agent: string;
  readonly thread_id: string | null;
  readonly turns: number;
  /** False where the project has had it before. */
  readonly is_new: boolean;
  /** How many of its turns were said in the thread since: of one that is not new. */
  readonly added: number;
  /** How its next message goes on: in the agent's own thread, or told anew. */
  readonly how: 'native' | 'replay';
  readonly warnings: readonly string[];
}

/** How the next message of a session goes on, as `inject` will decide it. @throws DamagedRecord */
async function howItGoesOn(context: ManagerContext, session: Session, numbers: readonly number[]) {
  const turns = await readLineageTurns(session, numbers, context.now());
  const adapter = findAgent(turns.findLast(({ kind }) => !isMarkerKind(kind))?.agent ?? '');
  if (adapter === null) return 'replay';
  const found = threadToGoOn(context, { adapter, record: readSessionRecord(session) }, turns);
  return typeof found === 'string' ? 'replay' : 'native';
}

function importedOf(
  context: ManagerContext,
  { store, id, isNew, warnings }: AdoptedSession,
  { adapter }: Pick<SessionFile, 'adapter'>,
  threadId: string | null,
  added = 0,
): Promise<Imported> {
  const session = { store, id };
  return orDamaged(session, async () => {
    const turns = listTurns(session);
    return {
      id,
      project: store.projectRoot,
      agent: adapter.name,
      thread_id: threadId,
      turns: turns.length,
      is_new: isNew,
      added,
      how: await howItGoesOn(context, session, turns),
      warnings,
    };
  });
}

/** What cannot be read holds no thread that anybody could go on with. */
function orNone(error: unknown): readonly [] {
  if (error instanceof DamagedRecord) return [];
  throw error;
}

/** Which threads are asked for: all, or those that work here or below, and those in which something was said since. */
export interface ThreadFilter {
  readonly here?: boolean | undefined;
  readonly sinceMs?: number | undefined;
}

/** The threads of agents that can be imported, the newest first. */
export async function importable(
  context: ManagerContext,
  { here = false, sinceMs }: ThreadFilter = {},
): Promise<readonly ThreadInfo[]> {
  requireUser(context);
  const below = here ? (realPathOf(context.cwd) ?? context.cwd) : undefined;
  return listThreads(context, { below, sinceMs });
}

/**
 * The session of a project that goes on in a thread, or else one that did before it went on in another one: of those that
 * there were when the thread began, which is null where that is not known.
 */
async function holderOfThread(
  context: ManagerContext,
  thread: string,
  beganMs: number | null,
): Promise<SessionId | null> {
  const { rows } = await list(context, { all: true }, (row) => row);
  const now = rows.find(({ thread_id: newest }) => newest === thread);
  const store = openForReading(context);
  if (now !== undefined || store === null) return now?.id ?? null;
  const mayContain = ({ turn, created_at: created, updated_at: updated }: SessionSummary): boolean =>
    (turn ?? 0) > 1 &&
    (beganMs === null ||
      (Date.parse(created ?? '') <= beganMs + CLOCK_SLACK_MS &&
        Date.parse(updated ?? '') >= beganMs - CLOCK_SLACK_MS));
  for (const { id } of rows.filter(mayContain)) {
    const session = { store, id };
    const turns = await readLineageTurns(session, listTurns(session), context.now()).catch(orNone);
    if (turns.some(({ threadId }) => threadId === thread)) return id;
  }
  return null;
}

/** Is told from time to time which part of a file was read, from 0 to 1. */
export type TellProgress = (part: number) => void;

/** The lines of a file, which is read twice: this time after that many. */
function* linesWithProgress(
  file: SessionFile,
  times: 0 | 1,
  tell: TellProgress | undefined,
): Generator<Line> {
  let read = 0;
  for (const line of linesOf(file)) {
    read += (line.text ?? '').length + 1;
    tell?.((times + Math.min(1, read / file.bytes)) / 2);
    yield line;
  }
}

/** Makes a session of an agent's session file. @throws ZwarmError `usage`, … */
export async function importFile(
  context: ManagerContext,
  file: SessionFile,
  tell?: TellProgress,
): Promise<Imported> {
  requireUser(context);
  const { adapter, files, path } = file;
  const newReader = await files.loadReader();
  const whole = survey(linesWithProgress(file, 0, tell), newReader());
  const { thread, model, firstPrompt, beganMs } = whole;
  let leftOut = 0;
  function* lines(): Generator<Line> {
    for (const line of linesWithProgress(file, 1, tell)) {
      if (line.text === null) leftOut += 1;
      yield line;
    }
    if ((lookAt(realPathOf(path) ?? path)?.size ?? 0) < file.bytes)
      throw new ZwarmError('io', `${path} was cut while it was read`, 'import it again once it is whole');
  }
  if (thread === null || firstPrompt === null) {
    const what = `nothing was said in ${path}`;
    throw new ZwarmError('usage', what, 'see what can be imported: zwarm import');
  }
  function* turns({ id, directory, version }: FileThread): Generator<FoundTurn> {
    let continued: string | null = null;
    for (const { lines: events, end, ...turn } of turnsOfFile(lines(), newReader(), whole)) {
      const same = { directory, stream: 'history', threadId: id, version } as const;
      yield { ...turn, ...same, events, continued, end: () => ({ ...end(), exitCode: null }) };
      continued = id;
    }
  }
  const session = await adoptSession(
    context,
    {
      key: `${adapter.name} ${thread.id}`,
      agent: adapter.name,
      directory: thread.directory,
      model,
      task: firstPrompt,
      beganMs,
      turns: turns(thread),
    },
    (here) => holderOfThread(here, thread.id, beganMs),
  );
  const tooLong = leftOut === 1 ? 'a line of it is' : `${leftOut} lines of it are`;
  const warnings = leftOut === 0 ? [] : [`${tooLong} too long, and left out: ${path}`];
  const more = session.isNew ? null : await takeInMore(context, session, file, whole);
  const all = [...session.warnings, ...warnings, ...(more?.warning == null ? [] : [more.warning])];
  return importedOf(context, { ...session, warnings: all }, file, thread.id, more?.turns);
}

/** Makes a session of what a user names: a session file by its path, or the thread that it holds. @throws ZwarmError */
export async function importThread(
  context: ManagerContext,
  text: string,
  tell?: TellProgress,
): Promise<Imported> {
  requireUser(context);
  return importFile(context, await findFile(context, text), tell);
}

/** The sessions of a Python zwarm in a directory, those that cannot be read with why; null where there are none. */
export function pythonSessions(context: ManagerContext, directory: string) {
  requireUser(context);
  return readPythonStore(context, directory);
}

/** Makes a session of one of a Python zwarm. @throws ZwarmError */
export async function importPython(context: ManagerContext, session: PythonSession): Promise<Imported> {
  requireUser(context);
  const { found, adapter, threadId } = await session.read();
  const adopted = await adoptSession(context, found, async () => null);
  return importedOf(context, adopted, { adapter }, threadId);
}
