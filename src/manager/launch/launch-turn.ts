import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentAdapter, ToolServer } from '../../agents/agent.ts';
import { orchestratorPrompt } from '../../core/conversation/orchestrator.ts';
import { workInPrompt } from '../../core/conversation/work-in.ts';
import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { How, LaunchRecord, RequestRecord, SessionRecord, TurnKind } from '../../core/session.ts';
import { isoTime } from '../../core/time.ts';
import { TOOL_NAMES } from '../../core/tool-names.ts';
import { markOfTurn } from '../../core/turn-mark.ts';
import { hostIdentity, MARK_VARIABLE, ownIdentity } from '../../process/identity.ts';
import { spawnRunner } from '../../process/launch.ts';
import { flushClaim } from '../../store/claim.ts';
import { createFile } from '../../store/files.ts';
import { TURN_FILES, turnDir, turnFile } from '../../store/layout.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { realPathOf } from '../../store/real-path.ts';
import { encode } from '../../store/records.ts';
import { readExit, readPrompt, readRequest, readRunner } from '../../store/sessions.ts';
import { callerOf } from '../access/caller.ts';
import { type Limits, requireAllowedDirectory } from '../access/permissions.ts';
import { requireRoom } from '../access/quota.ts';
import type { ManagerContext, Store } from '../context.ts';
import { recordEnd } from '../stop/record-exit.ts';
import { publishCancel } from '../stop/request-cancel.ts';
import { argvOf, type Program } from './agent-program.ts';

/** A claimed turn that is to run now. */
export interface Launch {
  readonly id: SessionId;
  readonly turn: number;
  readonly record: SessionRecord;
  readonly nonce: string;
  readonly adapter: AgentAdapter;
  readonly program: Program;
  readonly continuation: Continuation;
  /** What whoever asked for it has to keep to. */
  readonly limits: Limits;
}

/** How a turn goes on with what was before it: not at all, in a thread of the agent, or from a record of it (`why`). */
export type Continuation =
  | { readonly how: 'fresh' }
  | { readonly how: 'native'; readonly threadId: string; readonly forks: boolean }
  | { readonly how: 'replay'; readonly input: string; readonly why: string };

/** A turn whose runner has shown itself. */
export interface StartedTurn {
  readonly id: SessionId;
  readonly turn: number;
  readonly how: How;
  /** Why it is a replay, in words; else null. */
  readonly why: string | null;
}

/** How long to wait for a runner's sign of life; it takes some milliseconds on an idle machine. */
const SIGN_OF_LIFE_MS = 5000;

/** The request of a new turn, claimed by this process now. */
export function newRequest(
  context: ManagerContext,
  kind: TurnKind,
  more: Partial<Pick<RequestRecord, 'to' | 'covers'>> = {},
): RequestRecord {
  return {
    v: 1,
    kind,
    queued: false,
    claimer: ownIdentity(),
    nonce: context.newNonce(),
    by: callerOf(context).source,
    at: isoTime(context.now()),
    to: null,
    covers: [],
    ...more,
  };
}

/** The environment of a turn: the caller's own, and what tells the agent (and us) which turn it is. */
function environmentOf(context: ManagerContext, store: Store, launch: Launch): ManagerContext['env'] {
  return {
    ...context.env,
    ZWARM_SESSION_ID: launch.id,
    ZWARM_TURN: String(launch.turn),
    [MARK_VARIABLE]: markOfTurn(store, launch.id, launch.turn, launch.nonce),
    ZWARM_DIR: undefined,
    ZWARM_STORE: store.root,
    ZWARM_NODE: context.paths.node,
    ZWARM_MAIN: context.paths.cli,
  };
}

/** What is thrown when a turn was recorded but could not be started: with `record`, its end is recorded first. */
function notStarted(
  store: Store,
  { id, turn }: Pick<Launch, 'id' | 'turn'>,
  why: string,
  record: boolean,
  cause?: unknown,
): ZwarmError {
  let also = '';
  try {
    if (record) recordEnd(store, id, turn, { why: 'spawn_error', detail: why, cancelled: false });
  } catch (error) {
    also = `; nor could that be recorded: ${toZwarmError(error).message}`;
  }
  const what = `turn ${turn} of ${id} was recorded but did not start: ${why}${also}`;
  const { code, hint } = cause === undefined ? { code: 'io' as const, hint: null } : toZwarmError(cause);
  return new ZwarmError(code, what, hint ?? `see: zwarm show ${id}`, cause);
}

/**
 * Does what comes between the claim of a turn and its launch: where it fails, the turn has failed.
 * @throws ZwarmError of the same code, which says that the turn was recorded
 */
export async function orNotStarted<T>(
  store: Store,
  id: SessionId,
  turn: number,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw notStarted(store, { id, turn }, toZwarmError(error).message, true, error);
  }
}

/** Whether a turn has ended, or an agent has closed its records to us: then it runs. */
function hasEnd(store: Store, id: SessionId, turn: number): boolean {
  try {
    return readExit(store.root, id, turn) !== null;
  } catch (error) {
    if (error instanceof DamagedRecord) return true;
    throw error;
  }
}

/** Resolves when the runner has shown itself. @throws ZwarmError `io` when it did not, and says so in `exit.json` */
async function signOfLife(
  context: ManagerContext,
  store: Store,
  launch: Launch,
  ended: Promise<Error>,
): Promise<void> {
  const { id, turn } = launch;
  const shown = (): boolean => readRunner(store.root, id, turn) !== null;
  let reason: Error | undefined;
  void ended.then((why) => {
    reason = why;
  });
  for (const deadline = performance.now() + SIGN_OF_LIFE_MS; performance.now() < deadline; ) {
    if (shown() || hasEnd(store, id, turn)) return;
    if (reason !== undefined) break;
    await sleep(1);
  }
  // A runner that comes later sees this, and begins nothing; one that came in this moment is seen by us.
  const called =
    shown() || reason !== undefined ? null : publishCancel(context, store, id, turn, 'never-launched');
  if (shown()) return;
  const why = reason === undefined ? 'its runner gave no sign of life' : toZwarmError(reason).message;
  // Where somebody else has called it off, the end is theirs to record.
  throw notStarted(store, launch, why, called !== false, reason);
}

/** The server of our own tools: with the environment of the turn, by which it knows whose agent calls it. */
function toolServer({ paths }: ManagerContext, env: ManagerContext['env']): ToolServer {
  const variables = Object.keys(env).filter(
    (name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && env[name] !== undefined,
  );
  return { program: paths.node, args: [paths.cli, 'mcp'], variables, tools: TOOL_NAMES };
}

/** What the agent reads on its stdin, where that is not the message as it is; else null. */
function inputOf({ root }: Store, { id, turn, record, continuation }: Launch): string | null {
  const told = continuation.how === 'replay' ? continuation.input : null;
  // In its own thread an agent remembers what it was told at the beginning.
  if (continuation.how === 'native' || (!record.orchestrates && record.work_in === null)) return told;
  const asked = told ?? readPrompt(root, id, turn)?.toString() ?? '';
  const placed = record.work_in === null ? asked : workInPrompt(record.work_in, asked);
  return record.orchestrates ? orchestratorPrompt(placed) : placed;
}

/**
 * Starts the agent of a turn that this process has claimed, detached from us, and returns once its runner has shown
 * itself. @throws ZwarmError `io`
 */
export async function launchTurn(
  context: ManagerContext,
  store: Store,
  launch: Launch,
): Promise<StartedTurn> {
  const { id, turn, record, adapter, program, continuation, limits } = launch;
  const thread = continuation.how === 'native' ? continuation : { threadId: null, forks: false };
  const turnEnv = environmentOf(context, store, launch);
  const { firstTurn, everyTurn } = adapter.readArguments(record.agent_args);
  const command = adapter.command({
    workingDir: record.working_dir,
    sandbox: record.sandbox,
    model: record.model,
    agentArgs: turn === 1 ? [...firstTurn, ...everyTurn] : everyTurn,
    threadId: thread.threadId,
    forks: thread.forks,
    tools: record.orchestrates ? toolServer(context, turnEnv) : null,
  });
  const argv = argvOf(program, command);
  const launched: LaunchRecord = {
    v: 1,
    argv,
    program: program.path,
    agent_version: program.version,
    thread_id: thread.threadId,
    forks: thread.forks,
    how: continuation.how,
    why: continuation.how === 'replay' ? continuation.why : null,
    at: isoTime(context.now()),
  };
  let input: string | null;
  try {
    flushClaim(store.root, id, turn);
    input = inputOf(store, launch);
    // Once more: since it was allowed, a link may have come into its place. The runner looks a last time.
    if (limits !== null) {
      requireAllowedDirectory(limits, realPathOf(record.working_dir) ?? record.working_dir);
      await requireRoom(context, store, limits, { id, at: readRequest(store.root, id, turn).at });
    }
    if (input !== null) createFile(turnFile(store.root, id, turn, 'input'), input);
    createFile(turnFile(store.root, id, turn, 'launch'), encode(launched));
  } catch (error) {
    throw notStarted(store, launch, toZwarmError(error).message, true, error);
  }
  const { host, boot_id, pid_ns, uid } = hostIdentity();
  const runner = spawnRunner({
    script: context.paths.runner,
    cwd: turnDir(store.root, id, turn),
    identity: JSON.stringify({ v: 1, host, boot_id, pid_ns, uid }).slice(0, -1),
    directory: record.working_dir,
    input: input === null ? TURN_FILES.prompt : TURN_FILES.input,
    program: program.path,
    argv,
    env: { ...turnEnv, ...command.env },
  });
  try {
    await signOfLife(context, store, launch, runner.ended);
  } finally {
    runner.release();
  }
  return { id, turn, how: launched.how, why: launched.why };
}
