import type { AgentAdapter } from '../../agents/agent.ts';
import { DEFAULT_AGENT, requireAgent } from '../../agents/registry.ts';
import { ZwarmError } from '../../core/errors.ts';
import { parseName } from '../../core/ids.ts';
import { isModelName } from '../../core/model.ts';
import { isWithin } from '../../core/path.ts';
import { narrower, type Settings } from '../../core/rules/policy.ts';
import { SANDBOXES, type Sandbox } from '../../core/session.ts';
import { requireWord } from '../../core/suggest.ts';
import { isoTime } from '../../core/time.ts';
import { createSession } from '../../store/claim.ts';
import { gitStateOf } from '../../store/git.ts';
import type { SessionRecord } from '../../store/records.ts';
import { callerOf } from '../access/caller.ts';
import { type Limits, requireAllowedSession, requireRoomBelow, settingsFor } from '../access/permissions.ts';
import { requireWorkingDirectory } from '../access/working-directory.ts';
import {
  createStoreHere,
  type ManagerContext,
  newSessionId,
  openForReading,
  type Store,
} from '../context.ts';
import { requireFreeName } from '../launch/free-name.ts';
import type { StartedTurn } from '../launch/launch-turn.ts';
import { type Checked, launchNext, type NextTurn, withProgram } from '../launch/next-turn.ts';
import { requireMessage } from '../launch/preconditions.ts';
import { openWindow } from '../project/open-window.ts';
import { warnOfVolatileState } from '../project/volatile-state.ts';
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
  /** Passed on to the agent's program as they are. */
  readonly agentArgs?: readonly string[] | undefined;
}

/** A session that was started. */
export interface StartedSession extends StartedTurn {
  /** What the user should know of its directory and of where it is kept. */
  readonly warnings: readonly string[];
}

function requireModel(text: string): string {
  if (isModelName(text)) return text;
  throw new ZwarmError(
    'usage',
    `${JSON.stringify(text)} is not a model name`,
    'write it as the agent does: -m gpt-5.5',
  );
}

/** The user's own arguments for the agent's program, which can be passed on. @throws ZwarmError `usage` */
function requireArguments(adapter: AgentAdapter, args: readonly string[]): readonly string[] {
  const { refused } = adapter.readArguments(args);
  if (refused === null) return args;
  const { argument, why, hint } = refused;
  throw new ZwarmError('usage', `--agent-arg=${argument} cannot be passed on: ${why}`, hint);
}

/** An agent that can be given tools. @throws ZwarmError `usage` */
function requireTools({ name, takesTools }: AgentAdapter): void {
  if (takesTools) return;
  throw new ZwarmError('usage', `${name} cannot run other agents`, 'choose one that can: -a codex');
}

/** The sandbox of a session that asks for none: never more than its caller may have. */
function defaultSandbox({ sandbox }: Settings, limits: Limits): Sandbox {
  return limits === null ? sandbox : narrower(sandbox, limits.sandbox);
}

/** A first turn that was checked, the name of its session, and the store of the project if there is one. */
interface Prepared extends Checked {
  readonly name: string | null;
  readonly existing: Store | null;
}

async function prepare(context: ManagerContext, options: StartOptions): Promise<Prepared> {
  const existing = openForReading(context, true);
  const { settings, limits } = await settingsFor(context, existing);
  const { agent = settings.agent ?? DEFAULT_AGENT, model = settings.model ?? undefined } = options;
  const adapter = requireAgent(agent);
  const { source, parent } = callerOf(context);
  const record: SessionRecord = {
    v: 1,
    agent: adapter.name,
    task: options.task,
    ...requireWorkingDirectory(context, options.workingDir ?? '.', limits),
    model: model === undefined ? null : requireModel(model),
    sandbox: requireWord('sandbox', options.sandbox ?? defaultSandbox(settings, limits), SANDBOXES),
    agent_args: requireArguments(adapter, options.agentArgs ?? []),
    source,
    tags: [],
    parent,
    forked_from: null,
    git: null,
    executor: 'local',
    orchestrates: options.orchestrates ?? false,
    created_at: isoTime(context.now()),
  };
  if (record.orchestrates) {
    requireTools(adapter);
    requireRoomBelow(context, existing, settings);
  }
  const name = options.name === undefined ? null : parseName(options.name);
  if (existing !== null) await requireFreeName(context, existing, name);
  await requireAllowedSession(context, existing, limits, record);
  const without = '; or go without: zwarm start --agent-arg=--skip-git-repo-check "…"';
  return { ...(await withProgram(context, { record, adapter, limits }, without)), name, existing };
}

/** Refuses what `start` would refuse whatever the task: before somebody writes one. @throws ZwarmError */
export async function checkStart(
  context: ManagerContext,
  options: Omit<StartOptions, 'task'>,
): Promise<void> {
  await prepare(context, { ...options, task: '' });
}

/**
 * What to tell the user of a session in a directory above which an agent with write access runs, or null: that agent can
 * exchange the directory for a link to any other one.
 */
async function warnOfAgentsAbove(context: ManagerContext, directory: string): Promise<string | null> {
  const live = { all: true, exactly: true, statuses: ['running', 'pending'] } as const;
  const above = (await list(context, live, (row) => row)).find(
    ({ sandbox, working_dir: at }) =>
      sandbox !== 'read-only' && at !== null && at !== directory && isWithin(directory, at),
  );
  if (above === undefined) return null;
  return `the agent of ${above.id} works above ${directory} and can put a link to another directory in its place`;
}

/**
 * Creates a session and launches its first turn. When this returns, the task is safe on the disk and the agent's
 * runner lives. Bad input changes nothing.
 * @throws ZwarmError `usage`, `config`, `not_allowed`, `over_quota`, `name_taken`, `agent_not_found`,
 * `agent_not_executable`, `state_dir_unsafe`, `io`
 */
export async function start(context: ManagerContext, options: StartOptions): Promise<StartedSession> {
  requireMessage(options.task, 'task');
  const { name, existing, ...checked } = await prepare(context, options);
  const { record, limits } = checked;
  const store = existing ?? createStoreHere(context);
  // Only where another directory was named: a start reads no other session.
  const isNamed = limits === null && options.workingDir !== undefined;
  const above = isNamed ? await warnOfAgentsAbove(context, record.working_dir) : null;
  const session = { store, id: newSessionId(context) };
  let window: string | null = null;
  const next: NextTurn = {
    ...session,
    ...checked,
    turn: 1,
    kind: 'prompt',
    message: record.task,
    covers: [],
    before: [],
    historyChars: 0,
  };
  const started = await launchNext(context, next, {
    continues: null,
    claim: (claim) => {
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
