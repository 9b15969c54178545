import { setTimeout as sleep } from 'node:timers/promises';
import { isErrno } from '../core/errors.ts';
import { killProcess } from '../syscalls.ts';
import { isAlive } from './identity.ts';
import { collectTree, type Member, type Search, type TurnTree } from './process-tree.ts';

/** A turn to stop. The caller has published `cancel.json` before. */
export interface StopOptions extends Pick<Search, 'marks' | 'recorded'> {
  /** Sent in this order, a grace period after each. */
  readonly signals: readonly NodeJS.Signals[];
  readonly graceMs: number;
  /** Whether the end of the turn is recorded: its runner then only settles. */
  ended(): boolean;
  /** Records the end instead of a runner that does not. */
  record(): void;
}

/** How often to look whether a process has ended. */
const LOOK_MS = 5;
/** How long the kernel may take to end a process that got SIGKILL, and the runner to write its record. */
const LAST_WAIT_MS = 5000;
/** How often at most to look for processes that were started before all others were halted. */
const FREEZE_LOOKS = 10;
/** How long a fork of the runner may take to become another program, and a helper of it to end. */
const RECORD_MS = 500;

/** Signals one process if it is still the one that was found. Never a group, never pid 0 or 1. */
function signal(member: Member, name: NodeJS.Signals): void {
  if (member.pid <= 1 || !isAlive(member)) return;
  try {
    killProcess(member.pid, name);
  } catch (error) {
    // It ended in between, or is not ours to signal: what still lives is reported in the end.
    if (!isErrno(error, 'ESRCH', 'EPERM')) throw error;
  }
}

async function until(condition: () => boolean, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (!condition()) {
    if (performance.now() >= deadline) return false;
    await sleep(LOOK_MS);
  }
  return true;
}

/** Ends a turn: its agent with all that it has started, then the runner. Returns what was not seen to end. */
export async function stopTurn(options: StopOptions): Promise<readonly Member[]> {
  const { marks, recorded, signals, graceMs } = options;
  let tree: TurnTree = { runner: null, members: [], forks: [], spared: [] };
  const gather = (onSight: (one: Member) => void = () => undefined): TurnTree => {
    tree = collectTree({ marks, recorded, running: !options.ended(), known: tree.members, onSight });
    return tree;
  };
  const nothingLeft = (): boolean => {
    const { members, forks } = gather();
    return members.length === 0 && forks.length === 0;
  };
  const gone = (): boolean => !tree.members.some(isAlive) && nothingLeft();
  const halt = (one: Member): void => {
    if (one.pid !== process.pid && !tree.spared.some(({ pid }) => pid === one.pid)) signal(one, 'SIGSTOP');
  };
  const keyOf = ({ pid, start }: Member): string => `${pid} ${start}`;
  // No process may start another one, or hand over to a child, while we look at the rest.
  const freeze = (): TurnTree => {
    const halted = new Set<string>();
    for (let looks = 0; looks < FREEZE_LOOKS; looks += 1) {
      const others = gather(halt).members.filter((one) => !halted.has(keyOf(one)));
      if (others.length === 0) break;
      for (const one of others) {
        halt(one);
        halted.add(keyOf(one));
      }
    }
    return tree;
  };

  // Wait until an agent that is just being started can be signalled.
  await until(() => gather().forks.length === 0, RECORD_MS);
  let allGone = gone();
  for (const name of signals) {
    if (allGone) break;
    // SIGINT goes to the agent, which knows best how to end its commands; other signals to everything that is left.
    const { runner, members } = name === 'SIGINT' ? gather() : freeze();
    const leader = runner?.pid ?? recorded?.pid;
    const agent = members.filter(({ pgrp }) => pgrp === leader);
    const targets = name === 'SIGINT' && agent.length > 0 ? agent : members;
    for (const member of targets) signal(member, name);
    if (name === 'SIGKILL') break;
    // A stopped process acts on a signal only once it is continued.
    for (const member of targets) signal(member, 'SIGCONT');
    // When all that got the signal have ended, the next signal is due for the others.
    await until(() => {
      allGone = gone();
      return allGone || !targets.some(isAlive);
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

  // The runner now records the end; a stopped one must be continued for that.
  if (tree.runner !== null) signal(tree.runner, 'SIGCONT');
  const over = (): boolean =>
    options.ended() || (!(tree.runner && isAlive(tree.runner)) && gather().runner === null);
  const deadline = performance.now() + LAST_WAIT_MS;
  let settled = await until(over, RECORD_MS);
  while (!settled && performance.now() < deadline) {
    // A helper that hangs, an agent that poses as one, or one that was started only now.
    await endAll(true, RECORD_MS);
    settled = await until(over, RECORD_MS);
  }
  // While something cannot be ended the runner waits for it, and may still record the end.
  if (!settled && tree.members.length === 0) {
    // Before the runner dies: a launcher that still waits for it would record a failed launch.
    options.record();
    await until(() => {
      if (tree.runner !== null) signal(tree.runner, 'SIGKILL');
      const { runner, members } = gather();
      for (const member of members) signal(member, 'SIGKILL');
      return runner === null && members.length === 0;
    }, LAST_WAIT_MS);
  }
  // A helper of the runner may be about to end.
  await until(nothingLeft, RECORD_MS);
  const { runner, members, forks, spared } = tree;
  return [...members, ...forks, ...spared, ...(settled || runner === null ? [] : [runner])];
}
