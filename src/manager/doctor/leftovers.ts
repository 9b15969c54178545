import { type Finding, finding } from '../../core/check.ts';
import { isSessionId, parseTurnNumber } from '../../core/ids.ts';
import { isFinal } from '../../core/status.ts';
import { markOfTurn, marksOfStore } from '../../core/turn-mark.ts';
import { isAlive, livenessOf, SHOWS_MARKS } from '../../process/identity.ts';
import { createCensus, type Marked, RUNNER_SUFFIX } from '../../process/turn-processes.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { findLeftovers, type Leftover } from '../../store/remove.ts';
import { hasSession, hasTurn } from '../../store/sessions.ts';
import { listTrees } from '../../store/trees.ts';
import type { ManagerContext, Store } from '../context.ts';
import { readTurnState } from '../turn/turn-state.ts';

const KINDS = [
  ['building', 'thing half built', 'things half built'],
  ['trash', 'session half deleted', 'sessions half deleted'],
  ['new tree', 'worktree half made', 'worktrees half made'],
  ['stray tree', 'worktree without a session', 'worktrees without a session'],
] as const;

/** The worktrees of a store that have no session: half made, or of one that went without `zwarm rm`. */
function strayTrees(store: Store): readonly Leftover[] {
  return listTrees(store.root).flatMap(({ id, path, isMade, claimer }) => {
    if (hasSession({ store, id }) || livenessOf(claimer) !== 'no') return [];
    return [{ kind: isMade ? 'stray tree' : 'new tree', path }];
  });
}

/** What commands that were killed have left in the store, and of worktrees. */
export function checkLeftoverFiles(context: ManagerContext, store: Store): Finding {
  const leftovers = [...findLeftovers(store.root, context.now()), ...strayTrees(store)];
  if (leftovers.length === 0) return finding('ok', 'none');
  const text = KINDS.flatMap(([kind, one, several]) => {
    const of = leftovers.filter((leftover) => leftover.kind === kind);
    const [first] = of;
    return first === undefined
      ? []
      : [`${of.length} ${of.length === 1 ? one : several}, such as ${first.path}`];
  });
  const hasTree = leftovers.some(({ kind }) => kind === 'stray tree');
  const hint = hasTree ? 'zwarm clean --dry-run says what is in the trees' : 'they take only space';
  const isHalfMade = leftovers.some(({ kind }) => kind === 'new tree');
  const but = isHalfMade ? ', but not what somebody else has put in their place' : '';
  return finding('warning', text.join('; '), `${hint}; zwarm clean removes them${but}`);
}

/** A command may take a moment to end after its agent. */
const MOMENT_MS = 5000;

/** Whether a process belongs to a turn that runs, has ended this very moment, or cannot be judged. */
async function hasTurnThatRuns(store: Store, { pid, start, mark }: Marked, nowMs: number): Promise<boolean> {
  const [id = '', number = ''] = mark.slice(marksOfStore(store).length).split('.');
  const parsed = parseTurnNumber(number);
  if (!isSessionId(id) || parsed === null) return false;
  const turn = { store, id, turn: parsed };
  try {
    if (!hasTurn(turn)) return false;
    const { request, runner, exit, verdict } = await readTurnState(turn, null, nowMs);
    const bare = mark.endsWith(RUNNER_SUFFIX) ? mark.slice(0, -RUNNER_SUFFIX.length) : mark;
    if (markOfTurn(turn, request.nonce) !== bare) return false;
    // The runner goes on as what settles the turn.
    const isRunner = runner?.identity.pid === pid && runner.identity.start === start;
    if (isRunner || !isFinal(verdict.status)) return true;
    const ageMs = exit === null ? -1 : nowMs - exit.endedMs;
    return ageMs >= 0 && ageMs < MOMENT_MS;
  } catch (error) {
    if (error instanceof DamagedRecord) return true;
    throw error;
  }
}

/** Processes that an agent has started and that outlive its turn, or even its session. */
export async function checkLeftoverProcesses(context: ManagerContext, store: Store): Promise<Finding> {
  if (!SHOWS_MARKS) return finding('skipped', 'this system does not tell whose a process is');
  const marks = marksOfStore(store);
  const nowMs = context.now();
  const pids: number[] = [];
  for (const found of createCensus().processes()) {
    if (!found.mark.startsWith(marks) || (await hasTurnThatRuns(store, found, nowMs))) continue;
    // It may have ended since, and its turn with it.
    if (isAlive(found)) pids.push(found.pid);
  }
  if (pids.length === 0) return finding('ok', 'none');
  const one = 'a process of a turn that has ended still runs';
  const text = pids.length === 1 ? one : `${pids.length} processes of turns that have ended still run`;
  const hint = `look with: ps -fp ${pids.join(',')}; to end what nobody needs: kill ${pids.join(' ')}`;
  return finding('warning', `${text}: ${pids.join(', ')}`, hint);
}
