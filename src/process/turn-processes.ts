import type { ProcessIdentity } from '../core/session.ts';
import type { Liveness } from '../core/status.ts';
import { bears } from '../core/turn-mark.ts';
import {
  allProcesses,
  allProcessIds,
  isClosed,
  isInNamespaceBelow,
  livenessOf,
  markOf,
  type ProcessStat,
  SHOWS_MARKS,
  statOf,
  visibilityOf,
} from './identity.ts';

/*
 * Which processes belong to a turn: each inherits its mark in the environment. `marks` is what the marks of a turn, session
 * or store begin with (`core/turn-mark`); `recorded`, the process in `runner.stat`, counts where marks cannot be read.
 */

/** The end of the mark of the turn runner and its helpers, which do not belong to the turn itself. */
export const RUNNER_SUFFIX = '.runner';

/** A process with the mark in its environment; empty where it has none, or none that we can read. */
export interface Marked extends ProcessStat {
  readonly mark: string;
  /** Whether it is in a pid namespace below ours, as in the sandbox of an agent: whatever is there can have any mark. */
  readonly isBelow: boolean;
}

/** How often to look for new processes when others ended while we looked. */
const LOOKS = 30;

/** A living process, or null when it has ended. */
function readMarked(pid: number): Marked | null {
  const stat = statOf(pid);
  const mark = stat?.memory ? markOf(pid) : null;
  if (stat !== null && mark !== null) return { ...stat, mark, isBelow: isInNamespaceBelow(pid) };
  // It has no mark, or has just ended.
  const now = stat?.memory ? statOf(pid) : stat;
  return now === null || now.dead ? null : { ...now, mark: '', isBelow: false };
}

/**
 * All living processes, ourselves included, parents before their children; `onSight` is called as soon as one is seen.
 * When one ends before its mark could be read, we look once more: it may have forked a child to go on in its place.
 */
export function markedProcesses(onSight: (one: Marked) => void = () => undefined): readonly Marked[] {
  if (!SHOWS_MARKS) {
    return allProcesses().flatMap((stat) => (stat.dead ? [] : [{ ...stat, mark: '', isBelow: false }]));
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

/** All processes but ourselves, read once, when they are first needed: one look serves a list of many sessions. */
export interface Census {
  processes(): readonly Marked[];
  /** Whether we may not read the mark of one of our user's processes: then a turn that was not found may live. */
  isPartial(): boolean;
}

/** A census that has not looked yet. */
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
      // For root, processes that have closed themselves look the same.
      partial ??= SHOWS_MARKS && process.getuid?.() !== 0 && processes().some(hidesMark);
      return partial;
    },
  };
}

function hidesMark({ pid, mark, memory }: Marked): boolean {
  return mark === '' && memory && isClosed(pid);
}

/** Whether a process is a turn runner or one of its helpers. */
export function isRunnerOf(marks: string, { mark }: Pick<Marked, 'mark'>): boolean {
  return bears(mark, marks) && mark.endsWith(RUNNER_SUFFIX);
}

/** The turn runner among processes in the order of `markedProcesses`: the first with its mark that leads a group. */
export function findRunner(
  processes: readonly Marked[],
  marks: string,
  recorded: ProcessIdentity | null,
): Marked | null {
  const own = processesWithMark(processes, marks, recorded);
  const isRunner = (one: Marked): boolean => one.pid === one.pgrp && (!SHOWS_MARKS || isRunnerOf(marks, one));
  return own.find(isRunner) ?? null;
}

/** The processes of a turn by their mark; where marks cannot be read, those in the group of its runner. */
export function processesWithMark(
  processes: readonly Marked[],
  marks: string,
  recorded: ProcessIdentity | null,
): readonly Marked[] {
  if (SHOWS_MARKS) return processes.filter(({ mark }) => bears(mark, marks));
  if (recorded === null || visibilityOf(recorded) !== 'here') return [];
  // Another process has this pid now, so the group is not the runner's.
  if (processes.some(({ pid, start }) => pid === recorded.pid && start !== recorded.start)) return [];
  return processes.filter(({ pgrp }) => pgrp === recorded.pid);
}

/** What lives of a turn. */
export interface TurnProcesses {
  /** The pid of its runner, if that was seen alive. */
  readonly runner: number | null;
  /** Whether any of its processes lives, the runner included. */
  readonly living: Liveness;
}

/** Whether the recorded runner lives, and has the runner's mark. */
function isLivingRunner(recorded: ProcessIdentity, marks: string): boolean {
  if (livenessOf(recorded) !== 'yes') return false;
  return !SHOWS_MARKS || isRunnerOf(marks, { mark: markOf(recorded.pid) ?? '' });
}

/**
 * What lives of a turn; the mark decides. `recorded` saves a look at all processes where it lives. With `origin`, which
 * launched the turn, it says whether that was on another host or in a container, whose processes we cannot see.
 */
export function processesOfTurn(
  marks: string,
  recorded: ProcessIdentity | null,
  origin: ProcessIdentity,
  census: Census,
): TurnProcesses {
  if (recorded !== null && isLivingRunner(recorded, marks)) return { runner: recorded.pid, living: 'yes' };
  const all = census.processes();
  const found = processesWithMark(all, marks, recorded);
  const visibility = visibilityOf(recorded ?? origin);
  const elsewhere = visibility === 'elsewhere';
  if (found.some(({ isBelow }) => !isBelow))
    return { runner: findRunner(all, marks, recorded)?.pid ?? null, living: 'yes' };
  const same = all.find(({ pid, start }) => pid === recorded?.pid && start === recorded.start);
  const isClosedRunner = SHOWS_MARKS && same !== undefined && hidesMark(same);
  const unseen = elsewhere
    ? recorded !== null || found.length > 0
    : visibility === 'here' && (isClosedRunner || census.isPartial());
  return { runner: null, living: unseen ? 'cannot_tell' : 'no' };
}

/** Whether any process has such a mark, one in a sandbox included: for what ends them. */
export function anyMarked(marks: string, census: Census): boolean {
  return census.processes().some(({ mark }) => bears(mark, marks));
}

/** The same without turn runners, which live a moment longer than their turn: they record its end and settle. */
export function anyMemberLives(marks: string, census: Census): boolean {
  return census.processes().some((one) => bears(one.mark, marks) && !isRunnerOf(marks, one));
}

/** Whether a process with such a mark proves that its turn lives: one in a sandbox does not. */
export function anyLives(marks: string, census: Census): boolean {
  return census.processes().some(({ mark, isBelow }) => !isBelow && bears(mark, marks));
}
