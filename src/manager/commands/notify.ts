import { setTimeout as sleep } from 'node:timers/promises';
import { desktopText, withoutRepetition } from '../../core/rules/notification.ts';
import { isoTime } from '../../core/time.ts';
import { ownIdentity } from '../../process/identity.ts';
import { desktopCommand, runNotifier } from '../../process/notify.ts';
import { claimGeneration, giveUpGeneration, readGeneration } from '../../store/generations.ts';
import { isAnyWaiting, putLastCall, sendersDir, takeNotifications } from '../../store/notifications.ts';
import type { NotificationRecord } from '../../store/records.ts';
import { type ManagerContext, stateDirectory } from '../context.ts';
import { isSenderAlive } from '../queue/notify.ts';

/** How long the user's program may take. */
const LIMIT_MS = 10_000;
/** What comes within this time after a call is told by the next one. */
const BATCH_MS = 2000;

/** Has the user's program tell several things, and records how that ended. */
async function call(
  context: ManagerContext,
  state: string,
  taken: readonly NotificationRecord[],
): Promise<void> {
  const { env } = context;
  const { notify } = await context.loadSettings({ env, projectRoot: state });
  if (notify === null) return;
  const events = withoutRepetition(taken);
  const argv = notify.to === 'desktop' ? desktopCommand(desktopText(events)) : notify.to;
  const projects = events.map(({ project }) => project);
  const input = `${JSON.stringify({ v: 1, events: events.map(({ v, ...event }) => event) })}\n`;
  const ended = await runNotifier(argv, { env, projects, input, timeoutMs: LIMIT_MS });
  const at = isoTime(context.now());
  const record = { v: 1, program: argv[0] ?? '', events: events.length, ...ended, at } as const;
  putLastCall(state, record, context.newNonce());
}

/** Tells the user what waits to be told, unless another process does: at once, then what came since, until nothing has. */
export async function sendNotifications(
  context: ManagerContext,
  pause: () => Promise<unknown> = () => sleep(BATCH_MS),
): Promise<void> {
  const state = stateDirectory(context);
  // Looked at once more after the place was given up: whoever put something there meanwhile has relied on us.
  while (isAnyWaiting(state) && !isSenderAlive(state)) {
    const senders = sendersDir(state);
    const newest = readGeneration(senders);
    const mine = claimGeneration(senders, newest, ownIdentity(), context.newNonce());
    if (mine === null) return;
    try {
      for (
        let some = takeNotifications(state, mine);
        some.length > 0;
        some = takeNotifications(state, mine)
      ) {
        await call(context, state, some);
        await pause();
      }
    } finally {
      giveUpGeneration(mine);
    }
  }
}
