import type { AgentAdapter } from '../../agents/agent.ts';
import { DEFAULT_AGENT, requireAgent } from '../../agents/registry.ts';
import { ZwarmError } from '../../core/errors.ts';
import { parseName } from '../../core/ids.ts';
import { isModelName } from '../../core/model.ts';
import { isWithin } from '../../core/path.ts';
import { narrower } from '../../core/rules/policy.ts';
import { SANDBOXES } from '../../core/session.ts';
import { requireWord } from '../../core/suggest.ts';
import { isoTime } from '../../core/time.ts';
import { createSession } from '../../store/claim.ts';
import { fileSystemOf } from '../../store/file-system.ts';
import { gitStateOf } from '../../store/git.ts';
import type { SessionRecord } from '../../store/records.ts';
import { callerOf } from '../access/caller.ts';
import { requireAllowedSession, requireRoomBelow, settingsFor } from '../access/permissions.ts';
import { requireWorkingDirectory } from '../access/working-directory.ts';
import { createStoreHere, type ManagerContext, openForReading, type Store } from '../context.ts';
import { requireFreeName } from '../launch/free-name.ts';
import type { StartedTurn } from '../launch/launch-turn.ts';
import { launchNext, withProgram } from '../launch/next-turn.ts';
import { requireMessage } from '../launch/preconditions.ts';
import { openWindow } from '../project/open-window.ts';
import { list } from './ls.ts';

/** What a new session is to be; everything left out has a default. */
export interface StartOptions {
  /** The first message, byte for byte the agent's prompt. */
  readonly task: string;
  /** `codex` (the default) or `demo`. */
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** `read-only`, `workspace-write` (the default) or `danger-full-access`. */
  readonly sandbox?: string | undefined;
  /** Relative to the caller's directory, which is the default. */
  readonly workingDir?: string | undefined;
  readonly name?: string | undefined;
  /** Give its agent zwarm's own tools, and the part of one who runs other agents. */
  readonly orchestrates?: boolean | undefined;
  readonly agentArgs?: readonly string[] | undefined;
}

/** A session that was started. */
export interface StartedSession extends StartedTurn {
  /** What the user should know of its directory and of where it is kept. */
  readonly warnings: readonly string[];
}

function requireModel(text: string): string {
  if (isModelName(text)) return text;
  const what = `${JSON.stringify(text)} is not a model name`;
  throw new ZwarmError('usage', what, 'write it as the agent does: -m gpt-5.5');
}

/** The user's own arguments for the agent's program, which can be passed on. @throws ZwarmError `usage` */
function requireArguments(adapter: AgentAdapter, args: readonly string[]): readonly string[] {
  const { refused } = adapter.readArguments(args);
  if (refused === null) return args;
  const { argument, why, hint } = refused;
  throw new ZwarmError('usage', `--agent-arg=${argument} cannot be passed on: ${why}`, hint);
}

/** A first turn that was checked, the name of its session, and the store of the project, if it has one. */
async function prepare(context: ManagerContext, options: StartOptions) {
  const existing = openForReading(context, true);
  const { settings, limits } = await settingsFor(context, existing);
  const { agent = settings.agent ?? DEFAULT_AGENT, model = settings.model ?? undefined } = options;
  const adapter = requireAgent(agent);
  // Of a session that asks for none: never more than its caller may have.
  const sandbox = limits === null ? settings.sandbox : narrower(settings.sandbox, limits.sandbox);
  const record: SessionRecord = {
    v: 1,
    agent: adapter.name,
    task: options.task,
    ...requireWorkingDirectory(context, options.workingDir ?? '.', limits),
    model: model === undefined ? null : requireModel(model),
    sandbox: requireWord('sandbox', options.sandbox ?? sandbox, SANDBOXES),
    agent_args: requireArguments(adapter, options.agentArgs ?? []),
    ...callerOf(context),
    tags: [],
    forked_from: null,
    git: null,
    executor: 'local',
    orchestrates: options.orchestrates ?? false,
    created_at: isoTime(context.now()),
  };
  if (record.orchestrates) {
    if (!adapter.takesTools)
      throw new ZwarmError('usage', `${agent} cannot run other agents`, 'choose one that can: -a codex');
    requireRoomBelow(context, existing, settings);
  }
  const name = options.name === undefined ? null : parseName(options.name);
  if (existing !== null && name !== null) await requireFreeName(context, existing, name);
  await requireAllowedSession(context, existing, limits, record);
  const without = '; or go without: zwarm start --agent-arg=--skip-git-repo-check "…"';
  return { checked: await withProgram(context, { record, adapter, limits }, without), name, existing };
}

/** Refuses what `start` would refuse whatever the task: before one is written. @throws ZwarmError */
export async function checkStart(context: ManagerContext, options: Omit<StartOptions, 'task'>) {
  await prepare(context, { ...options, task: '' });
}

/** Warns of an agent with write access that runs above a directory; or null. */
async function warnOfAgentsAbove(context: ManagerContext, directory: string): Promise<string | null> {
  const live = { all: true, exactly: true, statuses: ['running', 'pending'] } as const;
  const rows = await list(context, live, (row) => row);
  const above = rows.find(
    ({ sandbox, working_dir: at }) =>
      sandbox !== 'read-only' && at !== null && at !== directory && isWithin(directory, at),
  );
  return above === undefined
    ? null
    : `the agent of ${above.id} works above ${directory} and can put a link to another directory in its place`;
}

/** Warns of a state directory that goes with a container or a restart while the project itself stays; or null. */
function warnOfVolatileState({ root, state, projectRoot }: Store): string | null {
  const { passing } = fileSystemOf(root);
  if (passing === null || fileSystemOf(projectRoot).passing !== null) return null;
  return `${state} lies on ${passing}, and may be gone sooner than the project; set ZWARM_DIR to a directory that stays`;
}

/**
 * Creates a session and launches its first turn. When this returns, the task is safe on the disk and the agent's runner
 * lives; bad input changes nothing. @throws ZwarmError
 */
export async function start(context: ManagerContext, options: StartOptions): Promise<StartedSession> {
  const { task, workingDir } = options;
  requireMessage(task, 'task');
  const { checked, name, existing } = await prepare(context, options);
  const { record, limits } = checked;
  const store = existing ?? createStoreHere(context);
  // Only where another directory was named: a start reads no other session.
  const isNamed = limits === null && workingDir !== undefined;
  const above = isNamed ? await warnOfAgentsAbove(context, record.working_dir) : null;
  const session = { store, id: context.newId() };
  const given = { kind: 'prompt', message: task, covers: [], historyChars: 0 } as const;
  const next = { ...session, ...checked, ...given, before: [] };
  let window: string | null = null;
  const started = await launchNext(context, next, {
    continues: null,
    claim(_, claim) {
      const git = gitStateOf(record.working_dir);
      const unique = context.newNonce();
      createSession({ ...session, record: { ...record, git }, name, claim, copies: [], unique });
    },
    async afterClaim() {
      window = await openWindow(context, store);
    },
  });
  const volatile = existing === null ? warnOfVolatileState(store) : null;
  return { ...started, warnings: [above, volatile, window].filter((warning) => warning !== null) };
}
