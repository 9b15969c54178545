import { setTimeout as sleep } from 'node:timers/promises';
import type { Breach } from '../../core/rules/run-limits.ts';
import { marksOfTurn } from '../../core/turn-mark.ts';
import { cpuSeconds, isRunnable } from '../../process/cpu-time.ts';
import { collectTree } from '../../process/process-tree.ts';
import { readRunner } from '../../store/sessions.ts';
import type { ManagerContext } from '../context.ts';
import { readStateFromRecords } from '../session/current-turn.ts';
import { DEFAULT_GRACE_MS, orEnded, stop, stopOf } from '../stop/stop-turn.ts';
import { ownTurn } from '../turn/own-turn.ts';

/** How long to look, and how often. */
const LOOK_MS = 3000;
const LOOKS = 10;
/** How much of that time a process works that is not idle: an agent that waits takes far less. */
const BUSY = 0.05;

/** Whether anything of the turn in the environment is at work, though it prints nothing. */
export async function isBusy(context: ManagerContext): Promise<boolean> {
  const turn = ownTurn(context);
  const search = {
    ...{ marks: marksOfTurn(turn), recorded: readRunner(turn)?.identity ?? null },
    ...{ running: true, known: [], onSight: () => undefined },
  };
  const look = () => {
    const pids = collectTree(search).members.map(({ pid }) => pid);
    return { work: pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0), wants: pids.some(isRunnable) };
  };
  const { work: before } = look();
  let wanted = 0;
  for (let looks = 1; looks <= LOOKS; looks += 1) {
    await sleep(LOOK_MS / LOOKS);
    const { work, wants } = look();
    // Less: one that had worked has ended, and so something happens.
    if (Math.abs(work - before) * 1000 > BUSY * LOOK_MS) return true;
    if (wants) wanted += 1;
  }
  // On a busy machine what works has to wait for a processor most of the time.
  return wanted > LOOKS / 2;
}

/** Stops the turn in the environment, which has reached a limit; unless it has ended, or somebody else stops it. */
export async function stopAtLimit(context: ManagerContext, limit: Breach): Promise<void> {
  const turn = ownTurn(context);
  const now = await readStateFromRecords(turn, context.now());
  const { current } = now;
  if (current?.turn !== turn.turn || current.cancel !== null) return;
  const plan = await stopOf(context, now.record, current, {
    why: 'limit',
    reason: null,
    graceMs: DEFAULT_GRACE_MS,
  });
  await orEnded(stop(context, current, { ...plan, limit }));
}
