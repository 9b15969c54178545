import { findAgent } from '../../agents/registry.ts';
import { lineageOf } from '../../core/conversation/lineage.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isFinal } from '../../core/status.ts';
import { isoTime } from '../../core/time.ts';
import { type Claim, type Copied, createSession } from '../../store/claim.ts';
import { flush } from '../../store/files.ts';
import { gitStateOf } from '../../store/git.ts';
import { sessionsDir, turnDir } from '../../store/layout.ts';
import { type KnownRecord, recordOfTurn, type SessionRecord } from '../../store/records.ts';
import { hasSession } from '../../store/sessions.ts';
import { callerOf } from '../access/caller.ts';
import { type Limits, requireAllowedSession, requireRoomBelow, settingsFor } from '../access/permissions.ts';
import { requireQuota } from '../access/quota.ts';
import { requireOutOfReach } from '../access/reach.ts';
import { requireBudget } from '../access/require-budget.ts';
import { requireWorkingDirectory } from '../access/working-directory.ts';
import { catchUp } from '../adopt/opened.ts';
import type { ManagerContext, Session, Store } from '../context.ts';
import { type AskedAgent, nextAgent } from '../launch/choose-agent.ts';
import { DEFAULT_HISTORY_CHARS } from '../launch/continuation.ts';
import type { StartedTurn } from '../launch/launch-turn.ts';
import { type Checked, launchNext, withProgram } from '../launch/next-turn.ts';
import type { AskedTree, TreeOptions, TreePlan } from '../launch/plan-tree.ts';
import {
  requireDirectory,
  requireMessage,
  requireRepository,
  requireSameDirectory,
} from '../launch/preconditions.ts';
import { tryCacheState } from '../session/cache-state.ts';
import { openTurns, readTurnStateOrDamaged, type SessionNow } from '../session/current-turn.ts';
import { orDamaged, unknownTurn } from '../session/damage.ts';
import { historyOf, readLineageTurns } from '../session/turn-lineage.ts';
import { requireKnownWords } from '../session/unknown-words.ts';
import { elsewhereError, whereStarted } from '../turn/where-it-ran.ts';

/** What to fork, and how to go on. */
export interface ForkOptions extends AskedAgent {
  /** As it was right after this turn; else after the newest. */
  readonly turn?: number | undefined;
  /** The first message of the fork; without one it waits for `inject`. */
  readonly message?: string | undefined;
  readonly historyChars?: number | undefined;
  /** Where it works; else where the session does. Relative to the caller's directory. */
  readonly workingDir?: string | undefined;
  /** Copy its files as they are now, too: into a tree of its own. */
  readonly worktree?: Pick<TreeOptions, 'branch'> | undefined;
}

/** A session that was forked: its newest turn, and the first of its own if a message has begun one. */
export interface Forked {
  readonly id: SessionId;
  readonly turn: number;
  readonly started: StartedTurn | null;
  /** The tree that was made for it: where, and what is in it. */
  readonly notes: readonly string[];
}

/** The turn after which to fork: it exists and has ended. @throws ZwarmError `usage`, `busy`, `unknown_liveness` */
function forkedTurn(now: SessionNow, asked: number | undefined): number {
  const { id, turns, current } = now;
  const last = turns.at(-1) ?? 1;
  const turn = asked ?? last;
  if (!turns.includes(turn)) throw unknownTurn(id, turn, last);
  const open = openTurns(now).filter(({ verdict }) => !isFinal(verdict.status));
  const first = Math.min(...open.map((state) => state.turn));
  if (current === null || turn < first) return turn;
  const before = first > 1 ? `fork what was before: zwarm fork ${id} --turn ${first - 1}` : null;
  const { status } = current.verdict;
  if (status === 'unknown') throw elsewhereError(id, whereStarted(current), before ?? 'fork it there');
  const hint = before ?? `wait for it first: zwarm wait ${id}`;
  throw new ZwarmError('busy', `turn ${first} of ${id} is still ${status}`, hint);
}

/**
 * The size of the agent's own file of the conversation as it is after `turn`: a native fork must find it unchanged. Null
 * where no file holds just that: the thread has gone on since, or goes on now.
 */
async function historyBytes(context: ManagerContext, now: SessionNow, turn: number): Promise<number | null> {
  const all = await readLineageTurns(now, now.turns, context.now());
  const { thread } = lineageOf(all.filter((one) => one.turn <= turn));
  const isTouched = all.some(
    (one) => one.turn > turn && (one.threadId === thread || (one.asked === thread && !one.forks)),
  );
  if (thread === null || isTouched) return null;
  // The thread of a copied turn may have gone on since it was copied.
  const origin = now.record.forked_from;
  const isCopied = all.some((one) => one.turn <= (origin?.turn ?? 0) && one.threadId === thread);
  if (isCopied) return origin?.history_bytes ?? null;
  const adapter = findAgent(all.find((one) => one.threadId === thread)?.agent ?? '');
  return (adapter && historyOf(context, adapter, thread)?.bytes) ?? null;
}

/**
 * Creates a session that begins as another one was right after one of its turns; with a message its next turn is launched.
 * @throws ZwarmError `usage`, `busy`, `unknown_liveness`, `directory_changed`, …
 */
export async function fork(
  context: ManagerContext,
  parent: Session,
  {
    message,
    turn: asked,
    historyChars = DEFAULT_HISTORY_CHARS,
    workingDir,
    worktree,
    ...askedAgent
  }: ForkOptions = {},
): Promise<Forked> {
  if (message !== undefined) requireMessage(message, parent.id);
  const { store } = parent;
  const before = await requireKnownWords(await catchUp(context, parent));
  const turn = forkedTurn(before, asked);
  const { settings, limits } = await settingsFor(context, store);
  const now =
    workingDir === undefined
      ? before
      : { ...before, record: { ...before.record, ...elsewhere(context, workingDir, limits, store) } };
  requireSameDirectory(now);
  requireDirectory(now.record, parent.id);
  if (now.record.orchestrates) requireRoomBelow(context, store, settings);
  const chosen = await nextAgent(context, now, askedAgent);
  requireRepository(chosen.adapter, chosen.record, parent.id);
  requireAllowedSession(context, store, limits, chosen.record);
  await requireQuota(context, store, limits);
  const turns = now.turns.filter((number) => number <= turn);
  const history_bytes = await orDamaged(parent, () => historyBytes(context, now, turn));
  const { unpacked } = now.record;
  const record: KnownRecord = {
    ...now.record,
    ...callerOf(context),
    // Later turns of that number are its own.
    unpacked: unpacked && { ...unpacked, turn: Math.min(unpacked.turn, turn) },
    key: null,
    forked_from: { id: parent.id, turn, history_bytes },
    imported_at: null,
    created_at: isoTime(context.now()),
  };
  if (message !== undefined) await requireBudget(context, { store, id: null, record });
  const session = { store, id: context.newId() };
  const first = { ...chosen, record: recordOfTurn(record, chosen), limits };
  const checked =
    message === undefined
      ? null
      : await withProgram(context, first, { id: parent.id, getsTree: worktree !== undefined });
  const plan =
    worktree &&
    (await planForkedTree(context, first, {
      ...worktree,
      name: session.id,
      worktreeDir: settings.worktreeDir,
    }));
  const copies: Copied[] = [];
  for (const number of turns) {
    const state = await readTurnStateOrDamaged({ ...parent, turn: number }, context.now());
    copies.push({ directory: turnDir(state), eventBytes: state.exit?.record.events_bytes ?? null });
  }
  const begin = async (
    place: Partial<KnownRecord>,
    first: Checked | null,
  ): Promise<Omit<Forked, 'notes'>> => {
    const forked = { ...session, parent, record: { ...record, ...place }, copies };
    if (message === undefined || first === null) {
      createFork(context, forked, null);
      await tryCacheState(context, session);
      return { id: session.id, turn, started: null };
    }
    const own = { ...first, record: { ...first.record, ...place } };
    const next = {
      ...session,
      ...own,
      kind: 'prompt',
      message,
      covers: [],
      before: turns,
      historyChars,
    } as const;
    const started = await launchNext(context, next, {
      continues: parent,
      claim: (_, claim) => createFork(context, forked, claim),
      // Planned once more after the copying, which takes its time: the parent may have gone on meanwhile.
      afterClaim: async () => undefined,
    });
    return { id: session.id, turn: started.turn, started };
  };
  if (plan === undefined)
    return { ...(await begin({}, checked)), notes: notesOfShared(parent, record, workingDir) };
  const { inTree } = await import('../launch/tree.ts');
  const { begun, notes } = await inTree(context, session, plan, async (place) => {
    const placed = { ...record, ...place };
    const allowed = await requireOutOfReach(context, chosen.adapter, placed, chosen.confiner !== null);
    return begin(place, checked && { ...checked, allowed });
  });
  return { ...begun, notes };
}

/** What the user should know of a fork that works in the tree of its parent. */
function notesOfShared(
  { id }: Session,
  { worktree, working_dir: path }: SessionRecord,
  workingDir: string | undefined,
): readonly string[] {
  if (worktree === null || workingDir !== undefined) return [];
  return [`it works in the tree of ${id}, too: ${path}; with -W it would have a copy of its own`];
}

/** What the record of a session says that works in another directory. @throws ZwarmError `usage`, `not_allowed` */
function elsewhere(context: ManagerContext, given: string, limits: Limits, store: Store) {
  const place = requireWorkingDirectory(context, given, limits, store);
  return { ...place, git: gitStateOf(place.working_dir) };
}

/** A session that is forked: its record, and the turns that it takes along. */
interface NewFork extends Session {
  readonly parent: Session;
  readonly record: SessionRecord;
  readonly copies: readonly Copied[];
}

function createFork(context: ManagerContext, { parent, ...fork }: NewFork, claim: Claim | null): void {
  try {
    const claims = claim === null ? [] : [claim];
    createSession({ ...fork, names: [], claims, unique: context.newNonce() });
  } catch (error) {
    if (hasSession(parent)) throw error;
    const what = `${parent.id} was removed while it was copied`;
    throw new ZwarmError('not_found', what, 'see: zwarm ls', error);
  }
  flush(sessionsDir(fork.store.root));
}

/** Plans a tree with the files of a session as they are now. @throws ZwarmError as `planTree` */
async function planForkedTree(
  context: ManagerContext,
  turn: Pick<Checked, 'adapter' | 'record' | 'confiner'>,
  asked: AskedTree,
): Promise<TreePlan> {
  const { planTree } = await import('../launch/plan-tree.ts');
  return planTree(context, turn, { ...asked, withChanges: true });
}
