import { join, resolve } from 'node:path';
import type { AgentAdapter } from '../../agents/agent.ts';
import { findAgent } from '../../agents/registry.ts';
import { foldEvents } from '../../core/conversation/fold.ts';
import { ZwarmError } from '../../core/errors.ts';
import { statOf } from '../../process/identity.ts';
import { ageOf } from '../../process/running-scripts.ts';
import {
  type PythonMeta,
  pythonKey,
  pythonSessionDirs,
  pythonTurnFiles,
  readPythonMeta,
} from '../../store/python-store.ts';
import { DamagedRecord, lookAt, readSmall } from '../../store/read-file.ts';
import { readLines } from '../../store/read-forward.ts';
import { isOpenDirectory } from '../../store/real-path.ts';
import type { ManagerContext } from '../context.ts';
import { eventsOf } from '../turn/turn-stream.ts';
import type { Found, FoundTurn } from './adopt-session.ts';

/*
 * Sessions of the Python zwarm. Of the messages it stored only the first one, and times without their zone.
 */

/** The longest stream of a turn that is read at once. */
const STREAM_LIMIT = 1 << 30;

/** The thread that a stream names; it is read as far as that. */
async function threadIn(path: string, adapter: AgentAdapter): Promise<string | null> {
  const newParser = await adapter.loadParser(null);
  const lines = readLines(path, { limit: null, ended: true });
  return foldEvents(eventsOf(lines, newParser())).threadId;
}

function* turnsOf(
  files: readonly string[],
  { working_dir: directory, updated_at: updated, task, status, exit_code: exitCode }: PythonMeta,
  beganMs: number | null,
  thread: string | null,
): Generator<FoundTurn> {
  const updatedMs = Date.parse(updated ?? '');
  for (const [i, path] of files.entries()) {
    const file = readSmall(path, STREAM_LIMIT);
    if (file === null) throw new DamagedRecord(`${path} is gone`);
    const isLast = i === files.length - 1;
    const startedMs = i === 0 ? beganMs : null;
    // A file that was copied is younger than the turn, and a record may have been changed after it.
    const endedMs = Number.isNaN(updatedMs) ? file.mtimeMs : Math.min(file.mtimeMs, updatedMs);
    yield {
      prompt: i === 0 ? task : null,
      directory,
      events: file.bytes,
      stream: 'printed',
      threadId: null,
      continued: i === 0 ? null : thread,
      version: null,
      startedMs,
      atMs: startedMs ?? endedMs,
      end: () => ({
        endedMs,
        exitCode: isLast && exitCode !== null ? (exitCode < 0 ? 128 - exitCode : exitCode) : null,
        interrupted: isLast && status === 'killed',
      }),
    };
  }
}

/** A process may have begun some time before the record of it. */
const SLACK_MS = 60_000;

/** Whether a process may be what runs a session: not one that began after its record was written last, in any time zone. */
function mayRun(path: string, { status, pid, updated_at: updated }: PythonMeta, now: () => number): boolean {
  const found = status === 'running' && pid !== null ? statOf(pid) : null;
  if (found === null || found.dead) return false;
  const ageMs = ageOf(found);
  const writtenMs = Math.max(Date.parse(updated ?? '') || 0, lookAt(join(path, 'meta.json'))?.mtimeMs ?? 0);
  return ageMs === null || now() - ageMs < writtenMs + SLACK_MS;
}

/** A session of that tool. */
export interface PythonSession {
  readonly id: string;
  /** @throws DamagedRecord, ZwarmError where it cannot be imported */
  read(): Promise<{
    readonly found: Found;
    readonly adapter: AgentAdapter;
    readonly threadId: string | null;
  }>;
}

function pythonSession(path: string, { now }: Pick<ManagerContext, 'now'>): PythonSession {
  return {
    id: path.slice(-36),
    async read() {
      const about = readPythonMeta(path);
      const adapter = findAgent(about.adapter);
      if (adapter === null)
        throw new ZwarmError(
          'usage',
          `the agent of ${path} is ${about.adapter}, which zwarm does not know`,
          null,
        );
      if (mayRun(path, about, now)) {
        const hint = 'wait for its end, or end it with the tool that started it';
        throw new ZwarmError('busy', `${path} may still run, as process ${about.pid}`, hint);
      }
      const files = pythonTurnFiles(path);
      const threadId = await threadIn(files[0] ?? '', adapter);
      const { task, model, working_dir: directory } = about;
      const createdMs = Date.parse(about.created_at ?? '');
      const beganMs = Number.isNaN(createdMs) ? null : createdMs;
      const key = pythonKey(path);
      const turns = turnsOf(files, about, beganMs, threadId);
      return {
        found: { key, agent: adapter.name, directory, model, task, beganMs, turns },
        adapter,
        threadId,
      };
    },
  };
}

/** The sessions of that tool in a directory (a project, or its store); null where the path is not one. */
export function readPythonStore(context: ManagerContext, path: string): readonly PythonSession[] | null {
  const directory = resolve(context.cwd, path);
  if (!isOpenDirectory(directory)) return null;
  return pythonSessionDirs(directory).map((one) => pythonSession(one, context));
}
