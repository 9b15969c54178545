import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentAdapter, SessionFiles } from '../../agents/agent.ts';
import { AGENTS } from '../../agents/registry.ts';
import { type Survey, survey, type ThreadInfo } from '../../core/conversation/session-file.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { Line } from '../../core/events.ts';
import { THREAD } from '../../core/ids.ts';
import { parseJson } from '../../core/json.ts';
import { isWithin } from '../../core/path.ts';
import { titleOf } from '../../core/session.ts';
import { isoTime } from '../../core/time.ts';
import { allHistory, findHistory, type HistoryFile } from '../../store/agent-history.ts';
import { DamagedRecord, readText } from '../../store/read-file.ts';
import { followLines } from '../../store/read-forward.ts';
import { realPathOf } from '../../store/real-path.ts';
import type { ManagerContext } from '../context.ts';

/** A session file of an agent: its path, and how much of it there was when it was looked at, in bytes. */
export interface SessionFile extends HistoryFile {
  readonly adapter: AgentAdapter;
  readonly files: SessionFiles;
}

/** The agents whose session files can be read. */
const READABLE = AGENTS.flatMap((adapter) => {
  const files = adapter.history?.files ?? null;
  return adapter.history === null || files === null ? [] : [{ adapter, history: adapter.history, files }];
});

/** Its lines, from some byte on; one that is being written is not there yet. */
export function linesOf({ path, bytes }: HistoryFile, from = 0): Generator<Line> {
  return followLines(path, undefined, from).read({ limit: bytes, ended: false });
}

/** The beginning of a file, in which it says whose thread it is and what was asked first. */
const HEAD_BYTES = 1 << 20;

async function headOf({ path, bytes, files }: SessionFile): Promise<Survey> {
  const newReader = await files.loadReader();
  return survey(linesOf({ path, bytes: Math.min(bytes, HEAD_BYTES) }), newReader(), true);
}

const WHAT = 'give a session file, the id of a thread, or the directory of a Python zwarm; see: zwarm import';

/** The session file of a thread. @throws ZwarmError `not_found` */
function fileOfThread({ env }: ManagerContext, id: string): SessionFile {
  for (const { adapter, history, files } of READABLE) {
    const directory = history.directory(env);
    const found = directory === null ? null : findHistory(directory, history.patterns(id));
    if (found) return { ...found, adapter, files };
  }
  const names = READABLE.map(({ adapter }) => adapter.name).join(' and ');
  throw new ZwarmError('not_found', `${names} have no session file of the thread ${id}`, WHAT);
}

const DOCUMENT_LIMIT = 64 << 20;

/** Whether a file is a session document of another ancestor, which tells no thread and no time. */
function isDocument(path: string, bytes: number): boolean {
  if (bytes > DOCUMENT_LIMIT) return false;
  const json = parseJson(readText(path, DOCUMENT_LIMIT) ?? '');
  return typeof json === 'object' && json !== null && 'session' in json && 'items' in json && 'state' in json;
}

/** The session file that a user means: by its path (whose it is, it says itself), or by its thread. @throws ZwarmError */
export async function findFile(context: ManagerContext, text: string): Promise<SessionFile> {
  const given = resolve(context.cwd, text);
  const path = realPathOf(given) ?? given;
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined && THREAD.test(text)) return fileOfThread(context, text);
  if (stat === undefined) throw new ZwarmError('not_found', `there is no file ${given}`, WHAT);
  for (const { adapter, files } of stat.isFile() ? READABLE : []) {
    const file = { path, bytes: stat.size, adapter, files };
    if ((await headOf(file)).thread !== null) return file;
  }
  const what =
    stat.isFile() && isDocument(path, stat.size)
      ? `${path} is a session document (session, items, state), which zwarm cannot import`
      : `${path} is not a session file that zwarm can read`;
  throw new ZwarmError('usage', what, WHAT);
}

/** A file that was removed meanwhile, or cannot be read, cannot be imported. */
function orUnreadable(error: unknown): null {
  if (error instanceof DamagedRecord) return null;
  throw error;
}

/** The threads of all agents in which something was said, the newest first. */
export async function listThreads(
  { env }: ManagerContext,
  { below, sinceMs = 0 }: { readonly below: string | undefined; readonly sinceMs: number | undefined },
): Promise<readonly ThreadInfo[]> {
  const threads: ThreadInfo[] = [];
  for (const { adapter, history, files } of READABLE) {
    const directory = history.directory(env);
    if (directory === null) continue;
    for (const { modifiedMs, ...found } of allHistory(directory, files.all)) {
      if (modifiedMs < sinceMs) continue;
      const file = { ...found, adapter, files };
      const head = await headOf(file).catch(orUnreadable);
      if (!head?.thread || head.firstPrompt === null) continue;
      const { id, directory: at } = head.thread;
      if (below !== undefined && !isWithin(realPathOf(at) ?? at, below)) continue;
      const said = { title: titleOf(head.firstPrompt), working_dir: at, updated_at: isoTime(modifiedMs) };
      threads.push({ agent: adapter.name, thread_id: id, ...said, file: file.path });
    }
  }
  return threads.sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
}
