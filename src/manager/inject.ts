import { realpathSync } from 'node:fs';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import { createCensus } from '../process/bearers.ts';
import { claimTurn } from '../store/claim.ts';
import { checkSeal } from '../store/seals.ts';
import { hasSession } from '../store/sessions.ts';
import { type ManagerContext, openForWriting, type Store } from './context.ts';
import { launchTurn, newRequest } from './launch.ts';
import { declareNeverLaunched } from './never-launched.ts';
import { programOf } from './program.ts';
import { orDamaged, readNow, type SessionNow } from './read.ts';
import { readThreadId } from './read-turn.ts';
import { requireRealEnd } from './real-end.ts';
import { resolveSession } from './resolve.ts';
import { requireMessage, type StartedTurn } from './start.ts';

/** Refuses unless the session is at rest. @throws ZwarmError `busy`, `seal_broken`, `unknown_liveness` */
function requireAtRest({ id, current }: SessionNow): void {
  const { status } = current.verdict;
  if (status === 'pending' && current.request.queued) {
    throw new ZwarmError(
      'seal_broken',
      `turn ${current.turn} of ${id} is queued, and nobody asked for it: nothing was run`,
      `withdraw it: zwarm kill ${id}`,
    );
  }
  if (status === 'running' || status === 'pending') {
    throw new ZwarmError('busy', `${id} is still ${status}`, `wait for it first: zwarm wait ${id}`);
  }
  if (status === 'unknown') {
    throw new ZwarmError(
      'unknown_liveness',
      `${id} may be running on another host or in another container`,
      'act from there',
    );
  }
}

/** The record is the one that was sealed. @throws ZwarmError `seal_broken`, `not_found` */
function requireSeal({ root, sealsDir }: Store, { id, recordBytes }: SessionNow): void {
  try {
    checkSeal(sealsDir, root, id, recordBytes);
  } catch (error) {
    // A session that is removed meanwhile loses its seal last.
    if (hasSession(root, id)) throw error;
    throw new ZwarmError('not_found', `${id} was removed by another command`, 'see: zwarm ls', error);
  }
}

/**
 * The session's directory is still the one that its sandbox was meant for: an agent may have put a link in the place of
 * any part of the path. Where there is none any more, the turn runner records that. @throws ZwarmError `directory_changed`
 */
function requireSameDirectory({ id, record }: SessionNow): void {
  const now = realPathOf(record.working_dir);
  if (now === null || now === record.working_dir) return;
  throw new ZwarmError(
    'directory_changed',
    `the directory of ${id}, ${record.working_dir}, now leads to ${now}: nothing was run`,
    'put it back, or start a new session where it should work: zwarm start -C DIR "…"',
  );
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'ELOOP') return null;
    throw error;
  }
}

/** The agent's conversation to continue: the newest that it named. @throws ZwarmError `not_resumable` */
async function threadOf(store: Store, { id, record, adapter, turns }: SessionNow): Promise<string> {
  const refuse = (why: string): ZwarmError =>
    new ZwarmError(
      'not_resumable',
      `${id} cannot be continued: ${why}`,
      'start a new session: zwarm start "…"',
    );
  if (!adapter?.capabilities.resume) throw refuse(`${record.agent} does not continue conversations`);
  for (const turn of turns.toReversed()) {
    const thread = await readThreadId(store, id, turn, adapter);
    if (thread !== null) return thread;
  }
  throw refuse(`${record.agent} ended before it had named its conversation`);
}

/**
 * Gives a session its next message. When this returns, the message is safe on the disk and the agent's runner lives.
 * @throws ZwarmError `busy`, `lost_race`, `not_resumable`, `unknown_liveness`, `seal_broken`, `directory_changed`, …
 */
export async function inject(context: ManagerContext, ref: string, message: string): Promise<StartedTurn> {
  requireMessage(message, 'message');
  const store = openForWriting(context);
  const id = resolveSession(store, ref);
  const now = await readNow(store, id, context.now());
  requireAtRest(now);
  requireRealEnd(id, now.current.turn, createCensus());
  requireSeal(store, now);
  requireSameDirectory(now);
  const { adapter, record } = now;
  if (adapter === null) {
    throw new ZwarmError(
      'not_resumable',
      `this zwarm knows no agent ${JSON.stringify(record.agent)}`,
      'update zwarm',
    );
  }
  const threadId = await orDamaged(store, id, () => threadOf(store, now));
  const program = await programOf(context, adapter, record.working_dir);
  declareNeverLaunched(context, store, now);
  const request = newRequest(context, 'prompt');
  const turn = (now.turns.at(-1) ?? 0) + 1;
  claimTurn(store.root, id, turn, { request, prompt: Buffer.from(message) });
  await launchTurn(context, store, { id, turn, record, nonce: request.nonce, adapter, program, threadId });
  return { id, turn };
}
