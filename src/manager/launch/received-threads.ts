import { dirname, join } from 'node:path';
import { findAgent } from '../../agents/registry.ts';
import { type LineageTurn, lineageOf } from '../../core/conversation/lineage.ts';
import { isErrno, toZwarmError } from '../../core/errors.ts';
import { isHistoryName } from '../../store/agent-history.ts';
import { copyFile, discard, flush, link, makeDirs } from '../../store/files.ts';
import { BUILDING_PREFIX } from '../../store/layout.ts';
import { type Member, readMemberName } from '../../store/manifest.ts';
import { requireOwnPlace } from '../../store/own-place.ts';
import { lookAt, unlessDamaged, withFile } from '../../store/read-file.ts';
import { badArchive } from '../../store/tar.ts';
import { sha256Of } from '../../store/write-archive.ts';
import type { ManagerContext } from '../context.ts';

/** An agent's own file of a thread that came with an archive: where it is, and where it belongs. */
interface ReceivedThread {
  readonly from: string;
  readonly to: string;
}

/** What becomes of the threads of a session that is unpacked. */
export interface ThreadPlan {
  readonly toPut: readonly ReceivedThread[];
  /** The size of the file of the thread that the conversation is in; null where that is not here. */
  readonly history_bytes: number | null;
  readonly warnings: readonly string[];
}

/** Whose file of which thread this is. @throws ZwarmError `bad_archive` where none of the turns had such a thread */
function ownerOf(name: string, agent: string, file: string, turns: readonly LineageTurn[]) {
  const history = findAgent(agent)?.history;
  for (const { threadId, agent: ran } of turns) {
    if (!history || threadId === null || ran !== agent) continue;
    if (isHistoryName(file, history.patterns(threadId))) return { history, threadId };
  }
  throw badArchive(`${name} in the archive belongs to no turn of the session`);
}

function isSame(path: string, { size, sha256 }: Member): boolean {
  return unlessDamaged(() => lookAt(path)?.size === size && sha256Of(path, size) === sha256) ?? false;
}

/**
 * Where the agents' files of an archive, received in a directory, belong: below the agent's own directory for them, under a
 * name that it finds for a thread of this session. @throws ZwarmError `bad_archive`
 */
export function planThreads(
  { env }: ManagerContext,
  { files, directory }: { readonly files: readonly Member[]; readonly directory: string },
  turns: readonly LineageTurn[],
  workingDir: string,
): ThreadPlan {
  const { thread } = lineageOf(turns);
  const toPut: ReceivedThread[] = [];
  const warnings: string[] = [];
  let history_bytes: number | null = null;
  for (const member of files) {
    const found = readMemberName(member.name);
    if (found?.kind !== 'thread') continue;
    const { agent, file } = found;
    const { history, threadId } = ownerOf(member.name, agent, file, turns);
    const home = history.directory(env);
    const place = history.place(file, workingDir);
    if (home === null || place === null) {
      warnings.push(
        `it is not known where ${agent} keeps its conversations: its file of this one is left out`,
      );
      continue;
    }
    const to = join(home, place);
    const isThere = unlessDamaged(() => lookAt(to)) !== null;
    if (isThere && !isSame(to, member)) {
      warnings.push(`${to} is there already and stays as it is`);
      continue;
    }
    if (!isThere) toPut.push({ from: `${directory}/${agent}/${file}`, to });
    if (threadId === thread) history_bytes = member.size;
  }
  return { toPut, history_bytes, warnings };
}

/** Puts an agent's file where it belongs, unless one is there; returns a warning where that failed, or null. */
export function putThread(context: ManagerContext, { from, to }: ReceivedThread): string | null {
  const temporary = join(dirname(to), `${BUILDING_PREFIX}${context.newNonce()}`);
  try {
    requireOwnPlace(context, to);
    makeDirs(dirname(to));
    withFile(from, ({ fd, size, mtimeMs }) => copyFile(fd, temporary, size, mtimeMs));
    link(temporary, to);
    flush(dirname(to));
    return null;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return null;
    return `the agent's own file of the conversation could not be put in its place: ${toZwarmError(error).message}`;
  } finally {
    discard(temporary);
  }
}
