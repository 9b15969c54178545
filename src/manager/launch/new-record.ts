import { resolve } from 'node:path';
import { requireAgent } from '../../agents/registry.ts';
import type { Amount } from '../../core/amount.ts';
import type { SessionId } from '../../core/ids.ts';
import { parseKey } from '../../core/rules/key.ts';
import { type Metadata, parseMetadata } from '../../core/rules/metadata.ts';
import { narrower } from '../../core/rules/policy.ts';
import { type RunLimits, withLimits } from '../../core/rules/run-limits.ts';
import { parseSchema } from '../../core/rules/schema.ts';
import { parseTags } from '../../core/rules/tags.ts';
import { SANDBOXES } from '../../core/session.ts';
import { requireWord } from '../../core/suggest.ts';
import { isoTime } from '../../core/time.ts';
import type { KnownRecord } from '../../store/records.ts';
import { callerOf } from '../access/caller.ts';
import { settingsFor } from '../access/permissions.ts';
import { requireWorkingDirectory } from '../access/working-directory.ts';
import type { ManagerContext, Store } from '../context.ts';
import { placeArguments } from './agent-arguments.ts';
import { firstAgent, requireDefaultAgent } from './choose-agent.ts';
import type { TreeOptions } from './plan-tree.ts';

/** What a new session is to be; everything left out has a default. */
export interface StartOptions {
  /** The first message, byte for byte the agent's prompt. */
  readonly task: string;
  /** Its name or another one for it, as `zwarm agents` lists them. */
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** `read-only`, `workspace-write` (the default) or `danger-full-access`. */
  readonly sandbox?: string | undefined;
  /** Relative to the caller's directory, which is the default. */
  readonly workingDir?: string | undefined;
  readonly name?: string | undefined;
  /** Give it a tree of its own, with a new branch. */
  readonly worktree?: TreeOptions | undefined;
  /** Any short text: another start with it returns this session. */
  readonly key?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** What a program writes on it for itself: a few short texts, which everything that tells of the session tells, too. */
  readonly metadata?: Metadata | undefined;
  /** Give its agent zwarm's own tools, and the part of one who runs other agents. */
  readonly orchestrates?: boolean | undefined;
  readonly agentArgs?: readonly string[] | undefined;
  /** Where relative paths among them begin; relative to the caller's directory, which is the default. */
  readonly argumentsFrom?: string | undefined;
  /** A JSON schema, as text: the agent answers in JSON of it. */
  readonly schema?: string | undefined;
  /** What each of its turns may take until it is stopped. */
  readonly runLimits?: Partial<RunLimits> | undefined;
  /** What all of its turns may use until no more begin. */
  readonly budget?: Amount | undefined;
  /** How often the task may be repeated where its turn fails for a reason that passes. */
  readonly retries?: number | undefined;
  /** Let it wait for its turn where no more may run at once. */
  readonly queue?: boolean | undefined;
  /** Let it wait for these sessions to complete. */
  readonly after?: readonly SessionId[] | undefined;
  /** Or only to end. */
  readonly evenIfFailed?: boolean | undefined;
}

/**
 * The record of a new session, whose agent was chosen; `isThere`: of one that was begun with the same options, when all was
 * there that they name. @throws ZwarmError
 */
export async function newRecord(
  context: ManagerContext,
  existing: Store | null,
  options: StartOptions,
  isThere = false,
) {
  const { settings, limits } = await settingsFor(context, existing);
  const { agent = requireDefaultAgent(context, settings), model = settings.model } = options;
  // Of a session that asks for none: never more than its caller may have.
  const sandbox = limits === null ? settings.sandbox : narrower(settings.sandbox, limits.sandbox);
  const place = requireWorkingDirectory(context, options.workingDir ?? '.', limits, existing);
  const adapter = requireAgent(agent);
  const { agentArgs = [], argumentsFrom = '' } = options;
  const from = resolve(context.cwd, argumentsFrom);
  const given = {
    ...place,
    sandbox: requireWord('sandbox', options.sandbox ?? sandbox, SANDBOXES),
    // Others may give none, and learn from none what is where.
    agent_args: limits === null ? placeArguments(adapter, agentArgs, from, isThere) : agentArgs,
    orchestrates: options.orchestrates ?? false,
    schema: options.schema === undefined ? null : parseSchema(options.schema),
    run_limits: withLimits(null, options.runLimits ?? {}),
    budget: options.budget ?? null,
  };
  const chosen = await firstAgent(context, adapter, model, given);
  const record: KnownRecord = {
    v: 1,
    ...chosen.runs,
    ...given,
    task: options.task,
    ...callerOf(context),
    tags: parseTags(options.tags ?? []),
    metadata: parseMetadata(options.metadata ?? {}),
    key: options.key === undefined ? null : parseKey(options.key),
    forked_from: null,
    git: null,
    executor: 'local',
    unpacked: null,
    imported_at: null,
    created_at: isoTime(context.now()),
  };
  return { record, chosen, settings, limits };
}
