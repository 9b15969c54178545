import { join } from 'node:path';
import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import type { Pending } from '../../core/rules/queue.ts';
import { isoTime } from '../../core/time.ts';
import { isTurnKind } from '../../core/turn-kinds.ts';
import { replaceFile } from '../../store/files.ts';
import { BUILDING_PREFIX, turnDir, turnFile } from '../../store/layout.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { isOpenDirectory } from '../../store/real-path.ts';
import { type EnvironmentRecord, encode } from '../../store/records.ts';
import { readEnvironment, readPrompt } from '../../store/sessions.ts';
import { OverBudget } from '../access/budgets.ts';
import type { ManagerContext, Turn } from '../context.ts';
import { placeArguments } from '../launch/agent-arguments.ts';
import { DEFAULT_HISTORY_CHARS, planContinuation } from '../launch/continuation.ts';
import { forgetEnvironment } from '../launch/environment.ts';
import { launchTurn } from '../launch/launch-turn.ts';
import { checkFollowUp } from '../launch/next-turn.ts';
import type { SessionNow } from '../session/current-turn.ts';
import { requireKnownWords } from '../session/unknown-words.ts';
import { recordEnd } from '../stop/record-exit.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { afterEnds } from './after-end.ts';

/** Refusals that a turn may outlive: another command or a newer zwarm launches it, or there will be room for it later. */
const PASSING: readonly string[] = ['lost_race', 'over_quota', 'io', 'busy', 'newer_record'];

/** Whoever queued a turn, as it was then: its rights are checked anew, by the configuration as it is now. */
function asQueued(
  context: ManagerContext,
  { env, checkout }: EnvironmentRecord,
  { request }: TurnState,
): ManagerContext {
  const { by } = request;
  const client = by !== null && /^(?:mcp|lib):/.test(by) ? by : null;
  return { ...context, env, cwd: checkout, project: null, client };
}

/** Puts a turn off until a day that has a budget of its own. */
function putOff(context: ManagerContext, turn: Turn, { message }: OverBudget, untilMs: number): Pending {
  const not_before = isoTime(untilMs);
  const deferral = { v: 1, reason: 'budget', detail: message, not_before } as const;
  const path = turnFile(turn, 'deferral');
  replaceFile(path, encode(deferral), join(turnDir(turn), `${BUILDING_PREFIX}${context.newNonce()}`));
  return deferral;
}

/**
 * Launches a turn whose time has come, unless only a newer zwarm can, with the environment and umask of the command that
 * queued it; whether it has begun, or until when it has to wait. What refuses it for good is recorded as its end.
 */
export async function launchQueued(
  context: ManagerContext,
  now: SessionNow,
  current: TurnState,
): Promise<boolean | Pending> {
  const { store, id, turn, request } = current;
  const { kind } = request;
  if (!isTurnKind(kind)) return false;
  try {
    const given = readEnvironment(current);
    if (given === null) return false;
    const asker = asQueued(context, given, current);
    const prompt = readPrompt(current);
    if (prompt === null) throw new DamagedRecord('prompt.md is missing');
    const next = {
      ...(await checkFollowUp(asker, { ...(await requireKnownWords(now)), current })),
      ...{ store, id, kind, covers: request.covers },
      runLimits: request.run_limits,
      ...{ message: prompt.toString(), historyChars: DEFAULT_HISTORY_CHARS },
      before: now.turns.filter((number) => number < turn),
    };
    const continuation = await planContinuation(asker, next);
    const { adapter, record } = next;
    const { nonce, retry } = request;
    // What the first message came with may be gone since it was queued; a repetition of it gives that, too.
    if (continuation.threadId === null && turn === 1 + (retry?.number ?? 0))
      placeArguments(adapter, record.agent_args, record.working_dir);
    await launchTurn(asker, { ...next, turn, nonce, continuation, umask: given.umask });
  } catch (error) {
    if (error instanceof OverBudget && error.untilMs !== null)
      return putOff(context, current, error, error.untilMs);
    const refused =
      error instanceof DamagedRecord ? new ZwarmError('damaged', error.message) : toZwarmError(error);
    if (PASSING.includes(refused.code)) return false;
    const why = isOpenDirectory(now.record.working_dir) ? 'spawn_error' : 'no_working_dir';
    recordEnd(current, { why, detail: refused.message, cancelled: false });
    await afterEnds(context, [current]);
  }
  forgetEnvironment(current);
  return true;
}
