import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../core/errors.ts';
import type { ProcessIdentity } from '../core/session.ts';
import { collectMembers, type Member } from './descendants.ts';
import { livenessOf, statOf } from './identity.ts';

/** A turn to stop. The caller has published `cancel.json` before. */
export interface StopRequest {
  readonly runner: ProcessIdentity;
  readonly mark: string;
  /** Sent in this order, a grace period after each. */
  readonly signals: readonly NodeJS.Signals[];
  readonly graceMs: number;
  /** Whether the end of the turn has been recorded. */
  ended(): boolean;
}

/** How often to look whether a process has ended. */
const LOOK_MS = 10;
/** How long the kernel may take to end a process that got SIGKILL, and the runner to write its record. */
const LAST_WAIT_MS = 5000;
/** A runner without an agent that has not written its record by now may have begun its agent after we looked. */
const RECORD_MS = 500;

function sameProcess({ pid, start }: Pick<Member, 'pid' | 'start'>): boolean {
  const stat = statOf(pid);
  return stat !== null && !stat.dead && stat.start === start;
}

/** Signals one process if it is still the one that was found. Never a group, never pid 0 or 1. */
function signal(member: Pick<Member, 'pid' | 'start'>, name: NodeJS.Signals): void {
  if (member.pid <= 1 || !sameProcess(member)) return;
  try {
    process.kill(member.pid, name);
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
  const { runner, mark } = request;
  const runnerAlive = (): boolean => livenessOf(runner, mark) === 'yes';
  let members: Member[] = [];
  const gather = (): Member[] => {
    const found = collectMembers(runner, runnerAlive() && !request.ended(), mark, members);
    const pids = new Set(found.map(({ pid }) => pid));
    members = [...members.filter((member) => !pids.has(member.pid) && sameProcess(member)), ...found];
    return members;
  };
  const gone = (): boolean => !members.some(sameProcess) && gather().length === 0;

  gather();
  for (const name of request.signals) {
    if (gone()) break;
    // SIGINT asks the agent, which knows best how to end its commands; the others are for everything that is left.
    const targets = name === 'SIGINT' ? members.filter(({ pgrp }) => pgrp === runner.pid) : members;
    for (const member of targets) signal(member, name);
    // A stopped process acts on a signal only when it is continued.
    if (name !== 'SIGKILL') for (const member of targets) signal(member, 'SIGCONT');
    // Once all that were asked have ended, waiting for the others would be in vain: they have not been told yet.
    const obeyed = (): boolean => gone() || !targets.some(sameProcess);
    if (name !== 'SIGKILL') await until(obeyed, request.graceMs);
  }
  const endAll = (): Promise<boolean> =>
    until(() => {
      if (gone()) return true;
      for (const member of members) signal(member, 'SIGKILL');
      return false;
    }, LAST_WAIT_MS);
  await endAll();

  // With its agent gone the runner writes the record by itself; a stopped one must be continued for that.
  if (runnerAlive()) signal(runner, 'SIGCONT');
  const over = (): boolean => request.ended() || !runnerAlive();
  let recorded = await until(over, RECORD_MS);
  for (let rounds = LAST_WAIT_MS / RECORD_MS; !recorded && rounds > 0; rounds -= 1) {
    await endAll();
    recorded = await until(over, RECORD_MS);
  }
  if (!recorded) signal(runner, 'SIGKILL');
  if (!recorded && !(await until(() => !runnerAlive(), LAST_WAIT_MS)))
    return [...members, { ...runner, pgrp: runner.pid }];
  return members.filter(sameProcess);
}
