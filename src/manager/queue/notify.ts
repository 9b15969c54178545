import { existsSync } from 'node:fs';
import { isQuiet, type NotifiedEvent } from '../../core/rules/notification.ts';
import { cutText, type SessionError } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { isoTime } from '../../core/time.ts';
import { userConfigFile } from '../../core/user-places.ts';
import { livenessOf } from '../../process/identity.ts';
import { readGeneration } from '../../store/generations.ts';
import { putNotification, sendersDir } from '../../store/notifications.ts';
import type { NotificationRecord } from '../../store/records.ts';
import { readPrompt } from '../../store/sessions.ts';
import type { ManagerContext, Store } from '../context.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { runBeside } from './run-beside.ts';

/** What the user is to be told of a turn. */
export function notificationOf(
  context: ManagerContext,
  { store, id, turn, request, adapter, verdict }: TurnState,
  event: NotifiedEvent,
  error: SessionError | null = null,
): NotificationRecord {
  return {
    v: 1,
    key: `${id}.${turn}.${event}`,
    ...{ event, at: isoTime(context.now()), project: store.projectRoot },
    ...{ id, name: store.names.get(id) ?? null, turn, agent: adapter?.name ?? null, by: request.by },
    status: isFinal(verdict.status) ? verdict.status : null,
    error: error && { code: error.code, message: error.message, retry_at: error.retry_at },
    prompt: cutText(readPrompt({ store, id, turn })?.toString() ?? ''),
  };
}

/** Whether somebody tells what waits to be told. */
export function isSenderAlive(state: string): boolean {
  const { claimer } = readGeneration(sendersDir(state));
  return claimer !== null && livenessOf(claimer) === 'yes';
}

/**
 * Has the user told what their own configuration asks for, by a process that nothing waits for. It never fails: the state
 * of the sessions tells all of it, too.
 */
export async function notify(
  context: ManagerContext,
  { state }: Pick<Store, 'state'>,
  notifications: readonly NotificationRecord[],
): Promise<void> {
  const file = userConfigFile(context.env);
  if (notifications.length === 0 || file === null || !existsSync(file)) return;
  const tell = async (): Promise<void> => {
    // As of no project: none has a say in this.
    const settings = await context.loadSettings({ env: context.env, projectRoot: state });
    const now = new Date(context.now());
    if (isQuiet(settings.notify?.quietHours ?? null, now.getHours() * 60 + now.getMinutes())) return;
    const wanted = notifications.filter(({ event }) => settings.notify?.events.some((one) => one === event));
    // In this order also where the clock does not tell them apart.
    for (const [at, one] of wanted.entries()) putNotification(state, one, `${at}${context.newNonce()}`);
    if (wanted.length === 0 || isSenderAlive(state)) return;
    await runBeside(context, state, 'notify');
  };
  await tell().catch(() => undefined);
}
