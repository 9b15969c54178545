import type { ProcessIdentity } from '../core/session.ts';
import type { Liveness } from '../core/status.ts';
import {
  allProcesses,
  allProcessIds,
  isClosed,
  isInOurNamespace,
  markOf,
  type ProcessStat,
  SHOWS_MARKS,
  statOf,
  visibilityOf,
} from './identity.ts';

/*
 * Whose processes are whose. Every process of a turn inherits the turn's mark in its
 * environment; nobody but its parents can have put it there, while the records in the store are within the reach of
 * agents. So a beginning of marks (`manager/mark`: those of a turn, a session or a store) says which processes are meant.
 */

/** What follows the mark in the environment of the turn runner and of its own helpers, which are no part of the turn. */
export const RUNNER_SUFFIX = '.runner';

/** A process with the mark in its environment; empty when it has none that we can read. */
export interface Marked extends ProcessStat {
  readonly mark: string;
}

/** How often to look for the heirs of processes that ended while we looked. */
const LOOKS = 30;

/** A living process, or null when it has ended. */
function readMarked(pid: number): Marked | null {
  const stat = statOf(pid);
  const mark = stat?.memory ? markOf(pid) : null;
  if (stat !== null && mark !== null) return { ...stat, mark };
  // It has none, or none any more.
  const now = stat?.memory ? statOf(pid) : stat;
  return now === null || now.dead ? null : { ...now, mark: '' };
}

/**
 * All living processes as they are now, ourselves included, parents before their children. One that hands over to a child and ends, again and again,
 * is seen too: whoever ends before its mark could be read makes us look for processes that came after it. `onSight` is
 * told of each as soon as it is seen.
 */
export function markedProcesses(onSight: (one: Marked) => void = () => undefined): readonly Marked[] {
  if (!SHOWS_MARKS) {
    return allProcesses().flatMap((stat) => (stat.dead ? [] : [{ ...stat, mark: '' }]));
  }
  const seen = new Map<number, Marked | null>();
  for (let looks = 0, missed = true; missed && looks < LOOKS; looks += 1) {
    missed = false;
    for (const pid of allProcessIds()) {
      if (seen.has(pid)) continue;
      const one = readMarked(pid);
      seen.set(pid, one);
      if (one === null || !one.memory) missed = true;
      if (one !== null) onSight(one);
    }
  }
  const living = [...seen.values()].filter((one) => one !== null);
  return living.sort((a, b) => Number(a.start) - Number(b.start) || a.pid - b.pid);
}

/** One look at all processes but ourselves, made when it is first needed: a list of many sessions needs no more. */
export interface Census {
  processes(): readonly Marked[];
  /** Whether a process of ours is closed to us: then what was not found may live all the same. */
  isPartial(): boolean;
}

/** A look that has not been made yet. */
export function createCensus(): Census {
  let seen: readonly Marked[] | undefined;
  let partial: boolean | undefined;
  const processes = (): readonly Marked[] => {
    seen ??= markedProcesses().filter(({ pid }) => pid !== process.pid);
    return seen;
  };
  return {
    processes,
    isPartial() {
      // Root cannot tell them from those that have closed themselves: both are its own.
      partial ??=
        SHOWS_MARKS &&
        process.getuid?.() !== 0 &&
        processes().some(({ pid, mark, memory }) => mark === '' && memory && isClosed(pid));
      return partial;
    },
  };
}

/** Whether a mark is the runner's own, and not one of its agent's processes'. */
export function isRunnerOf(marks: string, { mark }: Pick<Marked, 'mark'>): boolean {
  return mark.startsWith(marks) && mark.endsWith(RUNNER_SUFFIX);
}

/**
 * The turn runner among processes (as `markedProcesses` orders them): the first of its mark that leads a group, since everything else that bears it was
 * started later. Where no marks are seen, it is the process that was recorded.
 */
export function findRunner(
  processes: readonly Marked[],
  marks: string,
  recorded: ProcessIdentity | null,
): Marked | null {
  if (!SHOWS_MARKS) {
    if (recorded === null || visibilityOf(recorded) !== 'here') return null;
    return processes.find(({ pid, start }) => pid === recorded.pid && start === recorded.start) ?? null;
  }
  return processes.find((one) => isRunnerOf(marks, one) && one.pid === one.pgrp) ?? null;
}

/** The processes of a turn by their mark, or where that is not seen by the group that its runner led. */
export function bearersOf(
  processes: readonly Marked[],
  marks: string,
  recorded: ProcessIdentity | null,
): readonly Marked[] {
  if (SHOWS_MARKS) return processes.filter(({ mark }) => mark.startsWith(marks));
  if (recorded === null || visibilityOf(recorded) !== 'here') return [];
  // Another process of that pid: the group is by now a stranger's.
  const leader = processes.find(({ pid }) => pid === recorded.pid);
  if (leader !== undefined && leader.start !== recorded.start) return [];
  return processes.filter(({ pgrp }) => pgrp === recorded.pid);
}

/** Whether a process is that very one, bears one of the marks with the runner's suffix, and lives. */
function isLivingRunner(recorded: ProcessIdentity, marks: string): boolean {
  if (visibilityOf(recorded) !== 'here') return false;
  const stat = statOf(recorded.pid);
  if (stat === null || stat.dead || stat.start !== recorded.start) return false;
  return !SHOWS_MARKS || isRunnerOf(marks, { mark: markOf(recorded.pid) ?? '' });
}

/** What lives of a turn. */
export interface TurnProcesses {
  /** The pid of its runner, if that was seen alive. */
  readonly runner: number | null;
  /** Whether any of its processes lives, the runner included. */
  readonly living: Liveness;
}

/** Whether the process that was recorded as the runner lives, and may be it: it does not let us look. */
function isClosedRunner(recorded: ProcessIdentity | null, processes: readonly Marked[]): boolean {
  if (!SHOWS_MARKS || recorded === null) return false;
  const one = processes.find(({ pid, start }) => pid === recorded.pid && start === recorded.start);
  return one !== undefined && one.mark === '' && one.memory && isClosed(one.pid);
}

/**
 * What lives of a turn. Its mark decides: `recorded`, whom `runner.stat` names, is believed only to save the look at
 * all processes; and `origin`, the one who launched it, only about other hosts and containers, whose processes we do
 * not see or must not touch.
 */
export function processesOfTurn(
  marks: string,
  recorded: ProcessIdentity | null,
  origin: ProcessIdentity,
  census: Census,
): TurnProcesses {
  if (recorded !== null && isLivingRunner(recorded, marks)) return { runner: recorded.pid, living: 'yes' };
  const all = census.processes();
  const bearers = bearersOf(all, marks, recorded);
  const visibility = visibilityOf(recorded ?? origin);
  const elsewhere = visibility === 'elsewhere';
  // What runs in a container below us bears the mark too, and so do the commands that an agent here runs in a sandbox.
  if (bearers.length > 0 && (!elsewhere || bearers.some(({ pid }) => isInOurNamespace(pid)))) {
    return { runner: findRunner(all, marks, recorded)?.pid ?? null, living: 'yes' };
  }
  const unseen = elsewhere
    ? recorded !== null || bearers.length > 0
    : visibility === 'here' && (isClosedRunner(recorded, all) || census.isPartial());
  return { runner: null, living: unseen ? 'cannot_tell' : 'no' };
}

/** Whether anything lives that bears a mark beginning like this. */
export function anyBears(marks: string, census: Census): boolean {
  return census.processes().some(({ mark }) => mark.startsWith(marks));
}

/** The same but for turn runners, which go on for a moment when a turn has ended: they record and settle. */
export function anyMemberLives(marks: string, census: Census): boolean {
  return census.processes().some((one) => one.mark.startsWith(marks) && !isRunnerOf(marks, one));
}
