import type { ProcessIdentity } from '../core/session.ts';
import { allProcesses, markOf, type ProcessStat } from './identity.ts';

/** A process that belongs to a turn, as it was when it was found. */
export type Member = Pick<ProcessStat, 'pid' | 'start' | 'pgrp'>;

/** Some processes with all below them, but for those in `others` and what is only below these. */
function withDescendants(
  roots: ReadonlySet<number>,
  others: ReadonlySet<number>,
  processes: readonly ProcessStat[],
): Set<number> {
  const found = new Set(roots);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, ppid } of processes) if (found.has(ppid) && !others.has(pid)) found.add(pid);
  }
  return found;
}

function ancestorsOf(pid: number, processes: readonly ProcessStat[]): Set<number> {
  const parents = new Map(processes.map((stat) => [stat.pid, stat.ppid]));
  const found = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && at > 1 && !found.has(at); at = parents.get(at)) {
    found.add(at);
  }
  return found;
}

/**
 * Every living process of a turn but its runner: below the runner, in its group, bearing its mark, or below one that
 * was found earlier (`known`: a child whose parent has died belongs to nobody otherwise). A process whose mark names
 * another turn is left out with all below it, and so are we and our ancestors.
 */
export function collectMembers(
  runner: ProcessIdentity,
  runnerAlive: boolean,
  mark: string,
  known: readonly Member[],
): Member[] {
  const processes = allProcesses();
  const marks = new Map(processes.map(({ pid }) => [pid, markOf(pid)]));
  const startOf = new Map(processes.map(({ pid, start }) => [pid, start]));
  const pidsWhere = (test: (theirs: string) => boolean): Set<number> =>
    new Set(processes.flatMap(({ pid }) => (test(marks.get(pid) ?? '') ? [pid] : [])));
  const own = pidsWhere((theirs) => theirs === mark);
  const others = pidsWhere((theirs) => theirs !== '' && theirs !== mark);
  // An agent that starts sessions is their parent, and still each of them is its own.
  const spared = withDescendants(others, own, processes);
  for (const pid of ancestorsOf(process.pid, processes)) spared.add(pid);

  const roots = new Set(own);
  if (runnerAlive) roots.add(runner.pid);
  for (const { pid, start } of known) if (startOf.get(pid) === start) roots.add(pid);
  for (const { pid, pgrp } of processes) {
    // The group of a dead runner may by now be a stranger's: there only the mark counts.
    if (runnerAlive && pgrp === runner.pid) roots.add(pid);
  }
  const members = withDescendants(roots, others, processes);
  return processes.filter(
    ({ pid, dead }) => members.has(pid) && !dead && !spared.has(pid) && pid !== runner.pid,
  );
}
