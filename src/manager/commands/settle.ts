import { flush } from '../../store/files.ts';
import { turnDir, turnFile } from '../../store/layout.ts';
import { hasQueue, readSnapshot } from '../../store/sessions.ts';
import { forgetWriter } from '../../store/writers.ts';
import type { ManagerContext, Turn } from '../context.ts';
import { cacheChanged, cacheState } from '../session/cache-state.ts';
import { refreshSummaries } from '../session/refresh-summaries.ts';
import { readSessionFromStreams } from '../session/session-summary.ts';
import { ownTurn } from '../turn/own-turn.ts';
import { launchOf } from '../turn/turn-stream.ts';

/**
 * What happens once when a turn has ended: its files are flushed to the disk (a shell cannot), and how the session stands
 * is cached. The turn runner calls it, with the turn in the environment; if it never runs, nothing is lost.
 */
export async function settle(context: ManagerContext): Promise<void> {
  const ended = ownTurn(context);
  const { store, turn } = ended;
  // First: somebody may change files while the rest is done.
  const snapshot = recordFilesAfter(context, ended);
  for (const file of ['events', 'stderr', 'exit'] as const) flush(turnFile(ended, file));
  flush(turnDir(ended));
  await snapshot;
  forgetWriter(ended);
  const reading = await readSessionFromStreams(ended, context.now());
  if (launchOf(ended)?.confined_by === 'bwrap') {
    const { releaseMountPoints } = await import('../launch/mount-points.ts');
    await releaseMountPoints(ended, reading.record.working_dir);
  }
  const isCached = cacheState(context, reading);
  const its = reading.turns.find((one) => one.turn === turn);
  const toTell =
    its === undefined
      ? []
      : await (await import('../queue/after-end.ts')).afterEnd(context, reading.record, its);
  if (toTell.length > 0) await (await import('../queue/notify.ts')).notify(context, store, toTell);
  // As long as other turns end, too.
  if (hasQueue(store)) await (await import('../queue/dispatch.ts')).keepMoving(context, store);
  // Last, as nobody waits for it.
  if (isCached) cacheChanged(context, reading);
  const lost = await refreshSummaries(context, store);
  if (lost.length > 0) await (await import('../queue/after-end.ts')).afterEnds(context, lost);
}

/** Records the files as they are after a turn, where they were recorded before it. */
async function recordFilesAfter(context: ManagerContext, turn: Turn): Promise<void> {
  if (readSnapshot(turn, 'before') === null) return;
  const { recordAfter } = await import('../changes/turn-snapshots.ts');
  await recordAfter(context, turn);
}
