import { lstatSync } from 'node:fs';
import { isSessionId, parseTurnNumber, type SessionId } from '../core/ids.ts';
import type {
  CancelRecord,
  ExitRecord,
  LaunchRecord,
  RequestRecord,
  RunnerRecord,
  SessionRecord,
} from '../core/session.ts';
import { CANCEL_WHYS, type CancelWhy } from '../core/status.ts';
import { parseIso, writtenMs } from '../core/time.ts';
import {
  cancelName,
  exitCodeOfName,
  sessionDir,
  sessionFile,
  sessionsDir,
  turnDir,
  turnFile,
  turnsDir,
} from './layout.ts';
import {
  DamagedRecord,
  entriesOf,
  isRealDirectory,
  lookAt,
  readSmall,
  type SmallFile,
  unlessDamaged,
} from './read-file.ts';
import {
  parseCancelRecord,
  parseExitRecord,
  parseLaunchRecord,
  parseRequestRecord,
  parseRunnerStat,
  parseSessionRecord,
} from './records.ts';

/** No prompt that an agent takes comes near this. */
const PROMPT_LIMIT = 64 << 20;

/** The names in the store that are sessions', in no order: those of real directories, and those of anything else. */
export function listSessions(root: string): { directories: SessionId[]; others: SessionId[] } {
  const found: ReturnType<typeof listSessions> = { directories: [], others: [] };
  for (const { name, directory } of entriesOf(sessionsDir(root))) {
    if (isSessionId(name)) (directory ? found.directories : found.others).push(name);
  }
  return found;
}

/** The same names, damaged ones and files in their place included. */
export function listSessionIds(root: string): SessionId[] {
  const { directories, others } = listSessions(root);
  return directories.concat(others);
}

/** Whether a session of that id is there, damaged or not. */
export function hasSession(root: string, id: SessionId): boolean {
  return lstatSync(sessionDir(root, id), { throwIfNoEntry: false }) !== undefined;
}

/** A store as far as its sessions' records need it: its directory, and the root of the project it belongs to. */
export interface SessionStore {
  readonly root: string;
  readonly projectRoot: string;
}

/** The record of a session, and the size and time of its file. @throws DamagedRecord */
export function readSessionRecord(
  { root, projectRoot }: SessionStore,
  id: SessionId,
): { record: SessionRecord } & SmallFile {
  const file = readSmall(sessionFile(root, id), PROMPT_LIMIT);
  if (file === null) throw new DamagedRecord('session.json is missing');
  return { record: parseSessionRecord(file.bytes.toString(), projectRoot), ...file };
}

/** No conversation has so many; an agent that plants more keeps nobody busy. */
const MOST_TURNS = 10_000;

/**
 * The numbers of a session's turns, 1 to the newest, a tombstone's included. @throws DamagedRecord, also for a turn
 * that is no directory and for a gap: claims make neither
 */
export function listTurns(root: string, id: SessionId): number[] {
  const directory = turnsDir(root, id);
  const numbers = entriesOf(directory).flatMap(({ name, directory: real }) => {
    const turn = parseTurnNumber(name);
    if (turn === null) return [];
    if (real || isTombstoneName(root, id, turn)) return [turn];
    throw new DamagedRecord(`turn ${turn} is no directory`);
  });
  numbers.sort((a, b) => a - b);
  if (numbers.length > MOST_TURNS) throw new DamagedRecord(`it has more than ${MOST_TURNS} turns`);
  const gap = numbers.findIndex((turn, i) => turn !== i + 1);
  if (gap >= 0) throw new DamagedRecord(`turn ${gap + 1} is missing`);
  return numbers;
}

/** Whether a turn's place is taken by a second name of session.json: the tombstone that a full disk has room for. */
function isTombstoneName(root: string, id: SessionId, turn: number): boolean {
  const place = lookAt(turnDir(root, id, turn));
  const record = lookAt(sessionFile(root, id));
  return place?.isFile() === true && place.ino === record?.ino && place.dev === record.dev;
}

/** Whether a turn is no turn but marks its session as being removed. @throws DamagedRecord */
export function isTombstone(root: string, id: SessionId, turn: number): boolean {
  return isTombstoneName(root, id, turn) || readRequest(root, id, turn).kind === 'tombstone';
}

/** Whether turn `turn` is there. */
export function hasTurn(root: string, id: SessionId, turn: number): boolean {
  return isRealDirectory(turnDir(root, id, turn)) || isTombstoneName(root, id, turn);
}

/** The claim of a turn. @throws DamagedRecord */
export function readRequest(root: string, id: SessionId, turn: number): RequestRecord {
  const request = requestIn(root, id, turn);
  // Only what was before can be wound back to, or summed up.
  if ([request.to ?? 0, ...request.covers].every((earlier) => earlier < turn)) return request;
  throw new DamagedRecord(`turn ${turn} speaks of turns that were not before it`);
}

function requestIn(root: string, id: SessionId, turn: number): RequestRecord {
  const file = readSmall(turnFile(root, id, turn, 'request'));
  if (file === null) throw new DamagedRecord(`request.json of turn ${turn} is missing`);
  return parseRequestRecord(file.bytes.toString());
}

/** The user's message of a turn, byte for byte, or null for a marker. @throws DamagedRecord */
export function readPrompt(root: string, id: SessionId, turn: number): Buffer | null {
  return readSmall(turnFile(root, id, turn, 'prompt'), PROMPT_LIMIT)?.bytes ?? null;
}

/** What was started, or null before that. @throws DamagedRecord */
export function readLaunch(root: string, id: SessionId, turn: number): LaunchRecord | null {
  const file = readSmall(turnFile(root, id, turn, 'launch'), PROMPT_LIMIT);
  return file === null ? null : parseLaunchRecord(file.bytes.toString());
}

function cancelRecord(root: string, id: SessionId, turn: number): CancelRecord | null {
  return unlessDamaged(() => {
    const file = readSmall(turnFile(root, id, turn, 'cancel'));
    return file === null ? null : parseCancelRecord(file.bytes.toString());
  });
}

/** What whoever asked a turn to stop has said about it, or null. */
export function readCancelReason(root: string, id: SessionId, turn: number): string | null {
  return cancelRecord(root, id, turn)?.reason ?? null;
}

/** Why a turn was asked to stop, or null; a record that cannot be read is none of ours, and counts as absent. */
export function readCancel(root: string, id: SessionId, turn: number): CancelWhy | null {
  const record = cancelRecord(root, id, turn);
  return record?.why ?? CANCEL_WHYS.find((why) => isFile(cancelName(root, id, turn, why))) ?? null;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The runner that showed itself, and the time of that file; a record that was not written to its end counts as absent. */
export function readRunner(
  root: string,
  id: SessionId,
  turn: number,
): (RunnerRecord & { fileMs: number }) | null {
  return unlessDamaged(() => {
    const file = readSmall(turnFile(root, id, turn, 'runner'));
    if (file === null) return null;
    return { ...parseRunnerStat(file.bytes.toString()), fileMs: file.mtimeMs };
  });
}

/**
 * How a turn ended and when, from `exit.json` or, when a full disk left that empty, from the name of `exit.<code>`; a
 * record that cannot be read counts as absent. @throws DamagedRecord when the turn's directory cannot be read
 */
export function readExit(
  root: string,
  id: SessionId,
  turn: number,
): { record: ExitRecord; endedMs: number } | null {
  const exit = unlessDamaged(() => {
    const file = readSmall(turnFile(root, id, turn, 'exit'));
    if (file === null) return null;
    const record = parseExitRecord(file.bytes.toString());
    return { record, endedMs: writtenMs(file.mtimeMs, parseIso(record.ended_at)) };
  });
  return exit ?? readExitName(root, id, turn);
}

function readExitName(
  root: string,
  id: SessionId,
  turn: number,
): { record: ExitRecord; endedMs: number } | null {
  const directory = turnDir(root, id, turn);
  for (const { name } of entriesOf(directory)) {
    const code = exitCodeOfName(name);
    if (code === undefined) continue;
    const stat = lstatSync(`${directory}/${name}`, { throwIfNoEntry: false });
    if (!stat?.isFile()) continue;
    const cancelled = readCancel(root, id, turn) !== null;
    const why = code === null ? (cancelled ? 'cancelled' : 'not_launched') : null;
    const detail = 'there was no room to record its end (a full disk?): what it printed may be cut';
    const unknown = { uptime: null, ended_at: null, events_bytes: null } as const;
    return { record: { v: 1, code, why, detail, cancelled, ...unknown }, endedMs: stat.mtimeMs };
  }
  return null;
}

/** When the agent last printed something (ms since the epoch), or null. @throws DamagedRecord */
export function eventsMtime(root: string, id: SessionId, turn: number): number | null {
  const stat = lstatSync(turnFile(root, id, turn, 'events'), { throwIfNoEntry: false });
  return stat?.isFile() ? stat.mtimeMs : null;
}
