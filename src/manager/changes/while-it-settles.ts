import { livenessOf } from '../../process/identity.ts';
import { turnDir } from '../../store/layout.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { listTurns, readExit, readRunner, readSnapshot } from '../../store/sessions.ts';
import { watchDirectory } from '../../store/watch.ts';
import type { Session, Turn } from '../context.ts';

/** How long to wait for what `settle` is doing. */
const SETTLING_MS = 30_000;
const LOOK_AGAIN_MS = 50;

/** Waits while the runner of a turn that has ended may be recording the files. */
export async function whileItSettles(turn: Turn): Promise<void> {
  const runner = readRunner(turn);
  const isDone = () =>
    readSnapshot(turn, 'after') !== null || !runner || livenessOf(runner.identity) !== 'yes';
  if (isDone()) return;
  const watch = watchDirectory(turnDir(turn), []);
  const never = new AbortController().signal;
  try {
    for (let waited = 0; !isDone() && waited < SETTLING_MS; waited += LOOK_AGAIN_MS)
      await watch.next(LOOK_AGAIN_MS, never);
  } finally {
    watch.close();
  }
}

/** The same of all turns of a session that have ended: meanwhile a git of ours stands among its files. */
export async function whileAllSettle(session: Session): Promise<void> {
  for (const number of unlessDamaged(() => listTurns(session)) ?? []) {
    const turn = { ...session, turn: number };
    const isRecorded = unlessDamaged(() => readExit(turn) !== null && readSnapshot(turn, 'before') !== null);
    if (isRecorded === true) await whileItSettles(turn);
  }
}
