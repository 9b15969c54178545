import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentAdapter, CommandSpec, ToolServer, TurnRequest } from '../../agents/agent.ts';
import { orchestratorPrompt, workInPrompt } from '../../core/conversation/prompts.ts';
import { uuidOf } from '../../core/digest.ts';
import { isErrno, toZwarmError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { Pending } from '../../core/rules/queue.ts';
import { RUN_LIMITS } from '../../core/rules/run-limits.ts';
import { isoTime } from '../../core/time.ts';
import { TOOL_NAMES } from '../../core/tool-names.ts';
import { kindOf } from '../../core/turn-kinds.ts';
import { markOfTurn } from '../../core/turn-mark.ts';
import { hostIdentity, livenessOf, MARK_VARIABLE, ownIdentity } from '../../process/identity.ts';
import { spawnRunner } from '../../process/launch.ts';
import { timeZoneIn } from '../../process/time-zone.ts';
import { flushClaim } from '../../store/claim.ts';
import { createFile, discard, replaceFile } from '../../store/files.ts';
import { BUILDING_PREFIX, TURN_FILES, turnDir, turnFile } from '../../store/layout.ts';
import { realPathOf } from '../../store/real-path.ts';
import { encode, type LaunchRecord, type SessionRecord } from '../../store/records.ts';
import { readExit, readRequest, readRunner } from '../../store/sessions.ts';
import { recordTouched } from '../../store/trees.ts';
import { noteWriter } from '../../store/writers.ts';
import { guardCompiled } from '../access/guard-compiled.ts';
import { requireAllowedDirectory } from '../access/permissions.ts';
import { requireRoom } from '../access/quota.ts';
import type { ManagerContext, Turn } from '../context.ts';
import { recordEnd } from '../stop/record-exit.ts';
import { publishCancel } from '../stop/request-cancel.ts';
import { accountIn } from '../turn/agent-account.ts';
import { launchOf } from '../turn/turn-stream.ts';
import { argumentsOfTurn } from './agent-arguments.ts';
import type { Continuation, NextTurn } from './continuation.ts';
import { lastingEnvironment } from './environment.ts';
import { environmentIn, needsSetup } from './own-tree.ts';
import { touchOthersTrees } from './untouched-trees.ts';

/** A claimed turn that is to run now. */
export interface Launch extends NextTurn, Turn {
  readonly nonce: string;
  readonly continuation: Continuation;
  /** Of a turn that waited: the umask of the command that queued it. Several commands may try to launch it. */
  readonly umask?: string | undefined;
}

/** A turn whose runner has shown itself. */
export interface StartedTurn {
  readonly id: SessionId;
  readonly turn: number;
  /** The agent that runs it. */
  readonly agent: string;
  /** As `launch.json` has it; null where it has not begun. */
  readonly how: string | null;
  /** Why it is a replay, in words; else null. */
  readonly why: string | null;
  /** The arguments that its new thread has not got, as what they name is gone. */
  readonly gone: readonly string[];
  /** Why it waits; null where it has begun. */
  readonly pending: Pending | null;
}

/** The environment of a turn: what lasts of the caller's, and variables that say which turn it is. */
function environmentOf(context: ManagerContext, launch: Launch): ManagerContext['env'] {
  return {
    ...lastingEnvironment(context.env),
    ZWARM_SESSION_ID: launch.id,
    ZWARM_TURN: String(launch.turn),
    [MARK_VARIABLE]: markOfTurn(launch, launch.nonce),
    ZWARM_DIR: undefined,
    ZWARM_FORCE_TTY: undefined,
    ZWARM_STORE: launch.store.root,
    ZWARM_NODE: context.paths.node,
    ZWARM_MAIN: context.paths.cli,
    ...environmentIn(launch.record.worktree),
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
export async function orFailTurn<T>(turn: Turn, act: () => Promise<T>): Promise<T> {
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
export function toolServer({ paths }: ManagerContext, env: ManagerContext['env']): ToolServer {
  const isName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
  const variables = Object.keys(env).filter((name) => isName(name) && env[name] !== undefined);
  return { program: paths.node, args: [paths.cli, 'mcp'], variables, tools: TOOL_NAMES };
}

/** Checks the directory and the quota once more: since the first check a link may have come into its place. */
async function requireStillAllowed(context: ManagerContext, launch: Launch): Promise<void> {
  const { store, id, record, limits } = launch;
  if (limits === null) return;
  // The runner looks a last time.
  requireAllowedDirectory(limits, realPathOf(record.working_dir) ?? record.working_dir, record);
  await requireRoom(context, store, limits, { id, at: readRequest(launch).at });
}

const temporaryIn = ({ newNonce }: ManagerContext, turn: Turn): string =>
  `${turnDir(turn)}/${BUILDING_PREFIX}${newNonce()}`;

/** Takes the right to launch a turn that waited, from a launcher that died if need be. @throws ZwarmError `lost_race` */
function claimLaunch(context: ManagerContext, turn: Turn, record: string): void {
  try {
    createFile(turnFile(turn, 'launch'), record);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    const launcher = launchOf(turn)?.launcher ?? null;
    if (readRunner(turn) !== null || (launcher !== null && livenessOf(launcher) !== 'no'))
      throw new ZwarmError(
        'lost_race',
        `${turn.id} is launched by another command`,
        'see: zwarm queue',
        error,
      );
    // Of two that come to this, one runner begins: that decides.
    replaceFile(turnFile(turn, 'launch'), record, temporaryIn(context, turn));
  }
}

/** Whether the agent of a turn may change files; what an agent would change that does no work is nobody's. */
export const changesFiles = (
  { sandbox }: Pick<SessionRecord, 'sandbox'>,
  { confinement }: Pick<AgentAdapter, 'confinement'>,
): boolean => sandbox !== 'read-only' && confinement !== null;

/** Takes in the files as they are before the agent begins, and returns what records them; neither fails. */
export async function takeFilesBefore(context: ManagerContext, turn: Turn): Promise<() => Promise<void>> {
  try {
    const { takeBefore } = await import('../changes/turn-snapshots.ts');
    return await takeBefore(context, turn);
  } catch {
    // Without descriptors, for example: the turn matters more than what is known of it, and `diff` tells that nothing is.
    return async () => undefined;
  }
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

/** With what the agent's program is called for a turn, and what its environment has besides. */
export function commandOf(
  { record, adapter, confiner }: Pick<Launch, 'record' | 'adapter' | 'confiner'>,
  { threadId, forks }: Pick<Continuation, 'threadId' | 'forks'>,
  own: Pick<TurnRequest, 'agentArgs' | 'newThreadId' | 'schema' | 'tools'>,
): CommandSpec {
  return adapter.command({
    workingDir: record.working_dir,
    sandbox: record.sandbox,
    confined: confiner !== null,
    model: record.model,
    threadId,
    forks,
    ...own,
  });
}

/** Starts the agent of a claimed turn, detached, and waits until its runner has shown itself. @throws ZwarmError `io` */
export async function launchTurn(context: ManagerContext, launch: Launch): Promise<StartedTurn> {
  const { id, turn, record, adapter, program, confiner, umask, runLimits } = launch;
  const { how, threadId, forks } = launch.continuation;
  const { agentArgs, gone } = argumentsOfTurn(adapter, record, threadId === null);
  const replayed = launch.continuation.why;
  const why = replayed && [replayed, ...gone.map((arg) => `${arg} is gone`)].join('; ');
  const own = environmentOf(context, launch);
  // A summary for a new thread is a text, whatever the answers are.
  const schema = kindOf(launch.kind).sumsUp ? null : record.schema;
  const { args, env: itsOwn } = commandOf(launch, launch.continuation, {
    agentArgs,
    newThreadId: uuidOf(launch.nonce),
    schema: schema === null ? null : { text: schema, path: turnFile(launch, 'schema') },
    tools: record.orchestrates ? toolServer(context, own) : null,
  });
  const argv = [...program.args, ...args];
  const launched: LaunchRecord = {
    v: 1,
    argv,
    program: program.path,
    agent_version: program.version,
    thread_id: threadId,
    forks,
    how,
    confined_by: confiner?.name ?? null,
    why,
    working_dir: record.working_dir,
    account: accountIn(own, adapter).account,
    time_zone: timeZoneIn(own),
    launcher: ownIdentity(),
    at: isoTime(context.now()),
  };
  const input = inputOf(launch);
  const stdin = input === null ? 'prompt' : 'input';
  const touch = () => touchOthersTrees(context, launch);
  if (umask === undefined) await orFailTurn(launch, touch);
  else {
    await touch();
    claimLaunch(context, launch, encode(launched));
    // Where there is no room it goes on waiting.
    await requireStillAllowed(context, launch).catch((error: unknown) => {
      discard(turnFile(launch, 'launch'));
      throw error;
    });
  }
  const setup = await orFailTurn(launch, () => needsSetup(context, launch, record));
  // While the claim is made durable; what a setup makes is not the agent's, so that it takes them in itself.
  const taking = !setup && changesFiles(record, adapter) ? takeFilesBefore(context, launch) : null;
  const call = await orFailTurn(launch, async () => {
    flushClaim(launch);
    guardCompiled(context, launch.store, launch.allowed);
    if (umask === undefined) await requireStillAllowed(context, launch);
    if (schema !== null) replaceFile(turnFile(launch, 'schema'), schema, temporaryIn(context, launch));
    if (record.sandbox !== 'read-only') noteWriter(launch, record.working_dir);
    if (!setup) recordTouched(launch);
    if (input !== null) replaceFile(turnFile(launch, 'input'), input, temporaryIn(context, launch));
    if (umask === undefined) createFile(turnFile(launch, 'launch'), encode(launched));
    const plain = { program: program.path, args: argv };
    if (confiner === null || adapter.confinement?.by !== 'nobody') return { ...plain, env: {} };
    const { confinedCall } = await import('./confinement.ts');
    return confinedCall(context, { ...launch, stdin }, { confiner, confinement: adapter.confinement }, plain);
  });
  const recordFiles = await taking;
  const { host, boot_id, pid_ns, uid } = hostIdentity();
  const runner = spawnRunner({
    script: context.paths.runner,
    cwd: turnDir(launch),
    identity: JSON.stringify({ v: 1, host, boot_id, pid_ns, uid }).slice(0, -1),
    directory: record.working_dir,
    input: TURN_FILES[stdin],
    umask,
    limits: runLimits && RUN_LIMITS.map((name) => runLimits[name] ?? 0),
    setup,
    program: call.program,
    argv: call.args,
    env: { ...own, ...itsOwn, ...call.env },
  });
  try {
    await Promise.all([signOfLife(context, launch, runner.ended), recordFiles?.()]);
  } finally {
    runner.release();
  }
  return { id, turn, agent: adapter.name, how, why, gone, pending: null };
}
