import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../core/errors.ts';
import type { ProcessIdentity } from '../core/session.ts';
import { killProcess } from '../syscalls.ts';
import { collectTree, type Member, type TurnTree } from './descendants.ts';
import { statOf } from './identity.ts';

/** A turn to stop. The caller has published `cancel.json` before. */
export interface StopRequest {
  /** The beginning of the marks by which the processes of the turn are known. */
  readonly marks: string;
  /** Whom `runner.stat` names; believed only where no marks can be seen. */
  readonly recorded: ProcessIdentity | null;
  /** Sent in this order, a grace period after each. */
  readonly signals: readonly NodeJS.Signals[];
  readonly graceMs: number;
  /** Whether the end of the turn has been recorded: its runner then has only to settle. */
  ended(): boolean;
  /** Records it in the place of a runner that does not. */
  record(): void;
}

/** How often to look whether a process has ended. */
const LOOK_MS = 5;
/** How long the kernel may take to end a process that got SIGKILL, and the runner to write its record. */
const LAST_WAIT_MS = 5000;
/** How often at most to look for what was begun before all of it was halted. */
const FREEZE_LOOKS = 10;
/** How long what the runner has forked may take to become what it is to be, and its helpers to end. */
const RECORD_MS = 500;

function isSame({ pid, start }: Member): boolean {
  const stat = statOf(pid);
  return stat !== null && !stat.dead && stat.start === start;
}

/** Signals one process if it is still the one that was found. Never a group, never pid 0 or 1. */
function signal(member: Member, name: NodeJS.Signals): void {
  if (member.pid <= 1 || !isSame(member)) return;
  try {
    killProcess(member.pid, name);
  } catch (error) {
    // It ended in between (ESRCH), or is not ours to signal (EPERM): what still lives is reported in the end.
    if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error;
  }
}

async function until(condition: () => boolean, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (;;) {
    if (condition()) return true;
    if (performance.now() >= deadline) return false;
    await sleep(LOOK_MS);
  }
}

/**
 * Ends a turn: its agent and everything that the agent has started, then the runner. Returns what could not be ended;
 * an empty list means that the end of every process was observed.
 */
export async function stopTurn(request: StopRequest): Promise<readonly Member[]> {
  const { marks, recorded, signals, graceMs } = request;
  let tree: TurnTree = { runner: null, members: [], forks: [], spared: [] };
  const gather = (onSight: (one: Member) => void = () => undefined): TurnTree => {
    tree = collectTree({ marks, recorded, running: !request.ended(), known: tree.members, onSight });
    return tree;
  };
  const gone = (): boolean => {
    if (tree.members.some(isSame)) return false;
    const { members, forks } = gather();
    return members.length === 0 && forks.length === 0;
  };

  const halt = (one: Member): void => {
    if (one.pid !== process.pid && !tree.spared.some(({ pid }) => pid === one.pid)) signal(one, 'SIGSTOP');
  };
  // So that nobody begins anything, or hands over to a child, while we look at the others.
  const freeze = (): TurnTree => {
    const halted = new Set<string>();
    for (let looks = 0; looks < FREEZE_LOOKS; looks += 1) {
      const others = gather(halt).members.filter(({ pid, start }) => !halted.has(`${pid} ${start}`));
      if (others.length === 0) break;
      for (const one of others) {
        halt(one);
        halted.add(`${one.pid} ${one.start}`);
      }
    }
    return tree;
  };

  // An agent that is just being started is asked like any other.
  await until(() => gather().forks.length === 0, RECORD_MS);
  let allGone = gone();
  for (const name of signals) {
    if (allGone) break;
    // SIGINT asks the agent, which knows best how to end its commands; the others are for everything that is left.
    const { runner, members } = name === 'SIGINT' ? gather() : freeze();
    const leader = runner?.pid ?? recorded?.pid;
    const agent = members.filter(({ pgrp }) => pgrp === leader);
    const targets = name === 'SIGINT' && agent.length > 0 ? agent : members;
    for (const member of targets) signal(member, name);
    if (name === 'SIGKILL') break;
    // What is stopped acts on a signal only when it is continued.
    for (const member of targets) signal(member, 'SIGCONT');
    // Once all that were asked have ended, waiting for the others would be in vain: they have not been told yet.
    await until(() => {
      allGone = gone();
      return allGone || !targets.some(isSame);
    }, graceMs);
  }
  const endAll = (forksToo: boolean, ms: number): Promise<boolean> =>
    until(() => {
      const { members, forks } = freeze();
      const targets = forksToo ? [...members, ...forks] : members;
      for (const one of targets) signal(one, 'SIGKILL');
      return targets.length === 0;
    }, ms);
  await endAll(false, LAST_WAIT_MS);

  // With its agent gone the runner writes the record by itself; a stopped one must be continued for that.
  if (tree.runner !== null) signal(tree.runner, 'SIGCONT');
  const over = (): boolean => {
    if (request.ended()) return true;
    return (tree.runner === null || !isSame(tree.runner)) && gather().runner === null;
  };
  const deadline = performance.now() + LAST_WAIT_MS;
  let settled = await until(over, RECORD_MS);
  while (!settled && performance.now() < deadline) {
    // A helper that hangs, an agent that calls itself one, or one that was begun only now.
    await endAll(true, RECORD_MS);
    settled = await until(over, RECORD_MS);
  }
  // While something cannot be ended the runner waits for it, and may record its end after all.
  if (!settled && tree.members.length === 0) {
    // Before its death: a launcher that still waits for it would record that as a failure.
    request.record();
    await until(() => {
      if (tree.runner !== null) signal(tree.runner, 'SIGKILL');
      const { runner, members } = gather();
      for (const member of members) signal(member, 'SIGKILL');
      return runner === null && members.length === 0;
    }, LAST_WAIT_MS);
  }
  // A helper of the runner may be about to end.
  await until(() => {
    const { members, forks } = gather();
    return members.length === 0 && forks.length === 0;
  }, RECORD_MS);
  const { runner, members, forks, spared } = tree;
  return [...members, ...forks, ...spared, ...(settled || runner === null ? [] : [runner])];
}
