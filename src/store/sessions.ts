import { lstatSync } from 'node:fs';
import { isSessionId, parseTurnNumber, type SessionId } from '../core/ids.ts';
import { CANCEL_REASONS } from '../core/status.ts';
import { parseIso, writtenMs } from '../core/time.ts';
import { isTurnKind } from '../core/turn-kinds.ts';
import * as layout from './layout.ts';
import {
  DamagedRecord,
  entriesOf,
  isRealDirectory,
  lookAt,
  readSmall,
  readText,
  unlessDamaged,
} from './read-file.ts';
import {
  type CancelRecord,
  type DeferralRecord,
  type EnvironmentRecord,
  type ExitRecord,
  type LaunchRecord,
  parse,
  parseRunnerStat,
  parseSessionRecord,
  type RequestRecord,
  type RunnerRecord,
  type SessionRecord,
  type SnapshotRecord,
} from './records.ts';

/** Far more than any agent takes. */
const PROMPT_LIMIT = 64 << 20;

/** The session ids in a store, in no order: of real directories, and of anything else that has such a name. */
export function listSessions(root: string): { directories: SessionId[]; others: SessionId[] } {
  const found: ReturnType<typeof listSessions> = { directories: [], others: [] };
  for (const entry of entriesOf(layout.sessionsDir(root))) {
    if (isSessionId(entry.name)) (entry.isDirectory() ? found.directories : found.others).push(entry.name);
  }
  return found;
}

/** All of these ids, damaged sessions included. */
export function listSessionIds(root: string): SessionId[] {
  const { directories, others } = listSessions(root);
  return directories.concat(others);
}

/** Whether anything waits in a store, or did. */
export function hasQueue({ root }: Pick<SessionStore, 'root'>): boolean {
  return entriesOf(layout.queueDir(root)).length > 0;
}

/** Whether a session exists, damaged or not. */
export function hasSession(session: layout.SessionDir): boolean {
  return lookAt(layout.sessionDir(session)) !== null;
}

/** A store as far as the records of sessions need it: its directory, and the root of its project. */
export interface SessionStore {
  readonly root: string;
  readonly projectRoot: string;
}

/** A session in a store whose project is known. */
export interface StoredSession extends layout.SessionDir {
  readonly store: SessionStore;
}

/** The record of a session. @throws DamagedRecord */
export function readSessionRecord(session: StoredSession): SessionRecord {
  const text = readText(layout.sessionFile(session), PROMPT_LIMIT);
  if (text === null) throw new DamagedRecord('session.json is missing');
  return parseSessionRecord(text, session.store.projectRoot);
}

/** The numbers of a session's turns, 1 to the newest, a tombstone's included. @throws DamagedRecord, also for a gap */
export function listTurns(session: layout.SessionDir): number[] {
  const numbers = entriesOf(layout.turnsDir(session)).flatMap((entry) => {
    const turn = parseTurnNumber(entry.name);
    if (turn === null) return [];
    if (entry.isDirectory() || isTombstoneName({ ...session, turn })) return [turn];
    throw new DamagedRecord(`turn ${turn} is not a directory`);
  });
  numbers.sort((a, b) => a - b);
  const gap = numbers.findIndex((turn, i) => turn !== i + 1);
  if (gap >= 0) throw new DamagedRecord(`turn ${gap + 1} is missing`);
  return numbers;
}

/** Whether a second name of session.json stands for a turn: the tombstone that a full disk has room for. */
function isTombstoneName(turn: layout.TurnDir): boolean {
  const found = lookAt(layout.turnDir(turn));
  const record = lookAt(layout.sessionFile(turn));
  return found?.isFile() === true && found.ino === record?.ino && found.dev === record.dev;
}

/** Whether a turn marks its session as being removed. @throws DamagedRecord */
export function isTombstone(turn: layout.TurnDir): boolean {
  return isTombstoneName(turn) || readRequest(turn).kind === 'tombstone';
}

/** Whether a turn exists. */
export function hasTurn(turn: layout.TurnDir): boolean {
  return isRealDirectory(layout.turnDir(turn)) || isTombstoneName(turn);
}

/** The claim of a turn. @throws DamagedRecord */
export function readRequest(turn: layout.TurnDir): RequestRecord {
  const text = readText(layout.turnFile(turn, 'request'));
  if (text === null) throw new DamagedRecord(`request.json of turn ${turn.turn} is missing`);
  const parsed = parse.request(text);
  // What these mean to a kind that we do not know, we do not know either.
  const request = isTurnKind(parsed.kind) ? parsed : { ...parsed, to: null, covers: [] };
  if ([request.to ?? 0, ...request.covers].every((earlier) => earlier < turn.turn)) return request;
  throw new DamagedRecord(`turn ${turn.turn} refers to turns that were not before it`);
}

/** The user's message of a turn, byte for byte, or null for a marker. @throws DamagedRecord */
export function readPrompt(turn: layout.TurnDir): Buffer | null {
  return readSmall(layout.turnFile(turn, 'prompt'), PROMPT_LIMIT)?.bytes ?? null;
}

/** Room for the names of all files that may be left out. */
const SNAPSHOT_LIMIT = 16 << 20;

/** Far more than any environment is. */
const ENVIRONMENT_LIMIT = 16 << 20;

/** With what a turn waits to run, or null where it waits no longer. @throws DamagedRecord */
export function readEnvironment(turn: layout.TurnDir): EnvironmentRecord | null {
  const text = readText(layout.turnFile(turn, 'environment'), ENVIRONMENT_LIMIT);
  return text === null ? null : parse.environment(text);
}

/** Until when a turn that waits is put off, or null; one that cannot be read counts as absent. */
export function readDeferral(turn: layout.TurnDir): DeferralRecord | null {
  const text = unlessDamaged(() => readText(layout.turnFile(turn, 'deferral')));
  return text === null ? null : unlessDamaged(() => parse.deferral(text));
}

/** What was started, or null before that. @throws DamagedRecord */
export function readLaunch(turn: layout.TurnDir): LaunchRecord | null {
  const text = readText(layout.turnFile(turn, 'launch'), PROMPT_LIMIT);
  return text === null ? null : parse.launch(text);
}

/** The files before or after a turn, or null where that was not recorded; a record that cannot be read counts as absent. */
export function readSnapshot(turn: layout.TurnDir, when: 'before' | 'after'): SnapshotRecord | null {
  const text = unlessDamaged(() => readText(layout.turnFile(turn, when), SNAPSHOT_LIMIT));
  return text === null ? null : unlessDamaged(() => parse.snapshot(text));
}

/** Why a turn was asked to stop, when, and the reason given, or null; a record that cannot be read counts as absent. */
export function readCancel(
  turn: layout.TurnDir,
): (Pick<CancelRecord, 'why' | 'reason' | 'limit'> & { readonly at: string | null }) | null {
  const text = unlessDamaged(() => readText(layout.turnFile(turn, 'cancel')));
  const record = text === null ? null : unlessDamaged(() => parse.cancel(text));
  if (record !== null) return record;
  const why = CANCEL_REASONS.find((one) => writtenAt(layout.cancelName(turn, one)) !== null);
  return why === undefined ? null : { why, reason: null, limit: null, at: null };
}

/** When a regular file was last written (ms since the epoch), or null where there is none. */
function writtenAt(path: string): number | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? stat.mtimeMs : null;
}

/** The runner that showed itself, and the time of that file; an incomplete record counts as absent. */
export function readRunner(turn: layout.TurnDir): (RunnerRecord & { fileMs: number }) | null {
  return unlessDamaged(() => {
    const file = readSmall(layout.turnFile(turn, 'runner'));
    return file && { ...parseRunnerStat(file.bytes.toString()), fileMs: file.mtimeMs };
  });
}

/** How a turn ended, and when (ms since the epoch). */
export interface RecordedEnd {
  readonly record: ExitRecord;
  readonly endedMs: number;
}

/** The end of a turn, from `exit.json` or the name that a full disk left; one that cannot be read counts as absent. */
export function readExit(turn: layout.TurnDir): RecordedEnd | null {
  const exit = unlessDamaged(() => {
    const file = readSmall(layout.turnFile(turn, 'exit'));
    if (file === null) return null;
    const record = parse.exit(file.bytes.toString());
    return { record, endedMs: writtenMs(file.mtimeMs, parseIso(record.ended_at)) };
  });
  return exit ?? readExitName(turn);
}

function readExitName(turn: layout.TurnDir): RecordedEnd | null {
  for (const { name } of entriesOf(layout.turnDir(turn))) {
    const code = layout.exitCodeOfName(name);
    const endedMs = code === undefined ? null : writtenAt(`${layout.turnDir(turn)}/${name}`);
    if (code === undefined || endedMs === null) continue;
    const cancelled = readCancel(turn) !== null;
    const why = code === null ? (cancelled ? 'cancelled' : 'not_launched') : null;
    const detail = 'there was no room to record its end (a full disk?): what it printed may be cut';
    const unknown = { uptime: null, ended_at: null, events_bytes: null } as const;
    return { record: { v: 1, code, why, detail, cancelled, ...unknown }, endedMs };
  }
  return null;
}

/** When an entry was last added to a directory or taken away (ms since the epoch); null where that cannot be known. */
export function directoryMtime(path: string): number | null {
  return unlessDamaged(() => lookAt(path))?.mtimeMs ?? null;
}

/** When the agent last printed something (ms since the epoch), or null. */
export function eventsMtime(turn: layout.TurnDir): number | null {
  return writtenAt(layout.turnFile(turn, 'events'));
}
