import type { ProcessIdentity } from '../core/session.ts';
import { bears, parseMark } from '../core/turn-mark.ts';
import type { ProcessStat } from './identity.ts';
import { findRunner, isRunnerOf, type Marked, markedProcesses, processesWithMark } from './turn-processes.ts';

/** A process that belongs to a turn, as it was when it was found. */
export type Member = Pick<ProcessStat, 'pid' | 'start' | 'pgrp'>;

/** Everything that lives of a turn. */
export interface TurnTree {
  readonly runner: Member | null;
  /** The agent and all that it has started, without what is spared. */
  readonly members: readonly Member[];
  /** Forks of the runner that will soon be the agent, or a helper that records the end. */
  readonly forks: readonly Member[];
  /** Our ancestors with the same mark: we never signal those. */
  readonly spared: readonly Member[];
}

/** Some processes with all below them, without those in `others` and what is only below these. */
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

/** This process and those above it. */
function ourselvesIn(processes: readonly ProcessStat[]): Set<number> {
  const parents = new Map(processes.map((stat) => [stat.pid, stat.ppid]));
  const found = new Set<number>();
  let at: number | undefined = process.pid;
  for (; at !== undefined && at > 1 && !found.has(at); at = parents.get(at)) found.add(at);
  return found;
}

/** The processes by which this command was started, directly or not. */
function ancestors(): readonly Marked[] {
  const processes = markedProcesses();
  const above = ourselvesIn(processes);
  return processes.filter(({ pid }) => pid !== process.pid && above.has(pid));
}

/** Whether this command was started, directly or not, by a runner of such a turn that still lives. */
export const isStartedBelow = (marks: string): boolean => ancestors().some((one) => isRunnerOf(marks, one));

/** Whether it was started by what such a turn has left. */
export const areWeLeftOf = (marks: string): boolean => ancestors().some(({ mark }) => bears(mark, marks));

/** The processes of which turn to look for, as in `turn-processes`. */
export interface Search {
  readonly marks: string;
  readonly recorded: ProcessIdentity | null;
  /** Whether what is below the runner or in its group belongs to the turn: not once the runner records the end. */
  readonly running: boolean;
  /** What was found before: a child whose parent has died would not be found otherwise. */
  readonly known: readonly Member[];
  /** Called for each process with the mark as soon as it is seen, before we look at the others. */
  onSight(one: Member): void;
}

/**
 * Everything that lives of a turn: what has its mark, is below its runner or in the runner's group, or was found earlier,
 * with all below. What has the mark of another turn, which the agent has started, is left out with all below it.
 */
export function collectTree({ marks, recorded, running, known, onSight }: Search): TurnTree {
  const processes = markedProcesses((one) => {
    if (bears(one.mark, marks) && !isRunnerOf(marks, one)) onSight(one);
  });
  const runner = findRunner(processes, marks, recorded);
  const pidsOf = (test: (one: Marked) => boolean): Set<number> =>
    new Set(processes.filter(test).map(({ pid }) => pid));
  const own = new Set(processesWithMark(processes, marks, recorded).map(({ pid }) => pid));
  // Anything else in that variable must not help a process to escape.
  const others = pidsOf(({ mark }) => parseMark(mark) !== null && !bears(mark, marks));
  // The runner, and forks of it that have not become another program yet.
  const leaders = new Set(runner === null ? [] : [runner.pid]);
  const different = pidsOf((one) => !isRunnerOf(marks, one));
  const apart = withDescendants(leaders, different, processes);

  const before = new Map(known.map(({ pid, start }) => [pid, start]));
  const isOfRunner = ({ ppid, pgrp }: Marked): boolean =>
    running && (ppid === runner?.pid || pgrp === runner?.pid);
  const roots = pidsOf(
    (one) =>
      !apart.has(one.pid) && (own.has(one.pid) || before.get(one.pid) === one.start || isOfRunner(one)),
  );
  const ours = withDescendants(roots, others, processes);
  const ofOthers = withDescendants(others, own, processes);
  const ourselves = ourselvesIn(processes);
  const found = processes.filter(({ pid }) => ours.has(pid) && !ofOthers.has(pid) && !apart.has(pid));
  return {
    runner: runner !== null && ourselves.has(runner.pid) ? null : runner,
    members: found.filter(({ pid }) => !ourselves.has(pid)),
    forks: running ? processes.filter(({ pid }) => apart.has(pid) && pid !== runner?.pid) : [],
    spared: processes.filter(({ pid }) => own.has(pid) && ourselves.has(pid) && pid !== process.pid),
  };
}
