import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolServer } from '../../agents/agent.ts';
import { orchestratorPrompt, workInPrompt } from '../../core/conversation/prompts.ts';
import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { How } from '../../core/session.ts';
import { isoTime } from '../../core/time.ts';
import { TOOL_NAMES } from '../../core/tool-names.ts';
import { markOfTurn } from '../../core/turn-mark.ts';
import { hostIdentity, MARK_VARIABLE } from '../../process/identity.ts';
import { spawnRunner } from '../../process/launch.ts';
import { flushClaim } from '../../store/claim.ts';
import { createFile } from '../../store/files.ts';
import { TURN_FILES, turnDir, turnFile } from '../../store/layout.ts';
import { realPathOf } from '../../store/real-path.ts';
import { encode, type LaunchRecord } from '../../store/records.ts';
import { readExit, readRequest, readRunner } from '../../store/sessions.ts';
import { requireAllowedDirectory } from '../access/permissions.ts';
import { requireRoom } from '../access/quota.ts';
import type { ManagerContext, Turn } from '../context.ts';
import { recordEnd } from '../stop/record-exit.ts';
import { publishCancel } from '../stop/request-cancel.ts';
import type { Continuation, NextTurn } from './continuation.ts';

/** A claimed turn that is to run now. */
export interface Launch extends NextTurn, Turn {
  readonly nonce: string;
  readonly continuation: Continuation;
}

/** A turn whose runner has shown itself. */
export interface StartedTurn {
  readonly id: SessionId;
  readonly turn: number;
  readonly how: How;
  /** Why it is a replay, in words; else null. */
  readonly why: string | null;
}

/** The environment of a turn: the caller's own, and variables that say which turn it is. */
function environmentOf(context: ManagerContext, launch: Launch): ManagerContext['env'] {
  return {
    ...context.env,
    ZWARM_SESSION_ID: launch.id,
    ZWARM_TURN: String(launch.turn),
    [MARK_VARIABLE]: markOfTurn(launch, launch.nonce),
    ZWARM_DIR: undefined,
    ZWARM_STORE: launch.store.root,
    ZWARM_NODE: context.paths.node,
    ZWARM_MAIN: context.paths.cli,
  };
}

/** The error of a turn that was recorded but could not be started: with `record`, its end is recorded first. */
function notStarted(turn: Turn, cause: unknown, record: boolean): ZwarmError {
  const { code, message: why, hint } = toZwarmError(cause);
  let also = '';
  try {
    if (record) recordEnd(turn, { why: 'spawn_error', detail: why, cancelled: false });
  } catch (error) {
    also = `; nor could that be recorded: ${toZwarmError(error).message}`;
  }
  const what = `turn ${turn.turn} of ${turn.id} was recorded but did not start: ${why}${also}`;
  return new ZwarmError(code, what, hint ?? `see: zwarm show ${turn.id}`, cause);
}

/** Does what comes between claim and launch: where it fails, the turn has failed, and the error says so. */
export async function orNotStarted<T>(turn: Turn, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw notStarted(turn, error, true);
  }
}

/** Resolves when the runner has shown itself. @throws ZwarmError `io` when it did not, and says so in `exit.json` */
async function signOfLife(context: ManagerContext, turn: Turn, ended: Promise<Error>): Promise<void> {
  const shown = (): boolean => readRunner(turn) !== null;
  let reason: Error | undefined;
  void ended.then((why) => {
    reason = why;
  });
  for (const deadline = performance.now() + context.signOfLifeMs; performance.now() < deadline; ) {
    if (shown() || readExit(turn) !== null) return;
    if (reason !== undefined) break;
    await sleep(1);
  }
  // A runner that comes later sees this, and begins nothing; one that came at this moment is seen by us.
  const called = shown() || reason !== undefined ? null : publishCancel(context, turn, 'never-launched');
  if (shown()) return;
  const silent = new ZwarmError('io', 'its runner gave no sign of life', null);
  // Where another command has cancelled it, that one records the end.
  throw notStarted(turn, reason ?? silent, called !== false);
}

/** The server of our own tools: with the environment of the turn, by which it knows whose agent calls it. */
function toolServer({ paths }: ManagerContext, env: ManagerContext['env']): ToolServer {
  const isName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
  const variables = Object.keys(env).filter((name) => isName(name) && env[name] !== undefined);
  return { program: paths.node, args: [paths.cli, 'mcp'], variables, tools: TOOL_NAMES };
}

/** What the agent reads on its stdin, where that is not the message as it is; else null. */
function inputOf({ record, continuation, message }: Launch): string | null {
  const { work_in: workIn, orchestrates } = record;
  const { how, input } = continuation;
  // In its own thread an agent remembers its instructions.
  if (how === 'native' || (!orchestrates && workIn === null)) return input;
  const asked = input ?? message;
  const prompt = workIn === null ? asked : workInPrompt(workIn, asked);
  return orchestrates ? orchestratorPrompt(prompt) : prompt;
}

/** Starts the agent of a claimed turn, detached, and waits until its runner has shown itself. @throws ZwarmError `io` */
export async function launchTurn(context: ManagerContext, launch: Launch): Promise<StartedTurn> {
  const { store, id, turn, record, adapter, program, limits } = launch;
  const { how, threadId, forks, why } = launch.continuation;
  const env = environmentOf(context, launch);
  const { firstTurn, everyTurn } = adapter.readArguments(record.agent_args);
  const command = adapter.command({
    workingDir: record.working_dir,
    sandbox: record.sandbox,
    model: record.model,
    agentArgs: turn === 1 ? [...firstTurn, ...everyTurn] : everyTurn,
    threadId,
    forks,
    tools: record.orchestrates ? toolServer(context, env) : null,
  });
  const argv = [...program.args, ...command];
  const launched: LaunchRecord = {
    v: 1,
    argv,
    program: program.path,
    agent_version: program.version,
    thread_id: threadId,
    forks,
    how,
    why,
    at: isoTime(context.now()),
  };
  const input = inputOf(launch);
  await orNotStarted(launch, async () => {
    flushClaim(launch);
    // Once more: since the check, a link may have come into its place. The runner looks a last time.
    if (limits !== null) {
      requireAllowedDirectory(limits, realPathOf(record.working_dir) ?? record.working_dir);
      await requireRoom(context, store, limits, { id, at: readRequest(launch).at });
    }
    if (input !== null) createFile(turnFile(launch, 'input'), input);
    createFile(turnFile(launch, 'launch'), encode(launched));
  });
  const { host, boot_id, pid_ns, uid } = hostIdentity();
  const runner = spawnRunner({
    script: context.paths.runner,
    cwd: turnDir(launch),
    identity: JSON.stringify({ v: 1, host, boot_id, pid_ns, uid }).slice(0, -1),
    directory: record.working_dir,
    input: input === null ? TURN_FILES.prompt : TURN_FILES.input,
    program: program.path,
    argv,
    env,
  });
  try {
    await signOfLife(context, launch, runner.ended);
  } finally {
    runner.release();
  }
  return { id, turn, how, why };
}
