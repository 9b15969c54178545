import { ZwarmError } from '../../core/errors.ts';
import { isWithin } from '../../core/path.ts';
import {
  ANY_DIRECTORY,
  allowedRoot,
  isWider,
  type Policy,
  policyBelow,
  type Settings,
} from '../../core/rules/policy.ts';
import type { KnownRecord, SessionRecord } from '../../store/records.ts';
import { hasSession } from '../../store/sessions.ts';
import { locateProject, type ManagerContext, type Session, type Store } from '../context.ts';
import { readRecordOrDamaged } from '../session/current-turn.ts';
import { requireKnownRecord } from '../session/unknown-words.ts';
import { ancestryOf } from './ancestry.ts';
import { type Caller, callerOf, isUsers, UNKNOWN_AGENT } from './caller.ts';
import { requireQuota } from './quota.ts';

/** What a caller has to keep to: null for the user, who keeps to nothing. */
export type Limits = Policy | null;

function refuse(message: string, hint: string): never {
  throw new ZwarmError('not_allowed', message, hint);
}

/** The record of the session whose agent asks, which says how far that may go; null for others. */
async function parentRecord(store: Store | null, { parent }: Caller): Promise<KnownRecord | null> {
  if (parent === null) return null;
  if (store === null || !hasSession({ store, id: parent })) {
    const what = `you are an agent of ${parent}, which is not a session here`;
    return refuse(what, 'leave the environment of zwarm as it is');
  }
  return requireKnownRecord(parent, await readRecordOrDamaged({ store, id: parent }));
}

/**
 * The root of the project that a caller asks for: of an agent that of its own session, as recorded, since an agent can go
 * anywhere before it asks, and can move away what its project is known by.
 */
function projectRoot(context: ManagerContext, store: Store | null, asking: SessionRecord | null): string {
  if (asking === null || store === null) return locateProject(context).checkout;
  if (isWithin(asking.working_dir, store.projectRoot)) return store.projectRoot;
  return asking.git?.root ?? asking.working_dir;
}

/** The settings for the caller, and the limits that these set. @throws ZwarmError `config`, `damaged` */
export async function settingsFor(
  context: ManagerContext,
  store: Store | null,
): Promise<{ settings: Settings; limits: Limits }> {
  const caller = callerOf(context);
  const asking = await parentRecord(store, caller);
  const { env } = context;
  const settings = await context.loadSettings({ env, projectRoot: projectRoot(context, store, asking) });
  if (isUsers(caller.source)) return { settings, limits: null };
  const { policy } = settings;
  return { settings, limits: asking === null ? policy : policyBelow(policy, asking) };
}

/** What is allowed, for a hint. */
function allowedBy({ allowedDirs }: Policy): string {
  const lists = allowedDirs.filter((list) => !list.includes(ANY_DIRECTORY));
  if (lists.some((list) => list.length === 0))
    return 'none is allowed here; the user can name some in the configuration (allowed_dirs)';
  return `allowed: ${lists.map((list) => `${list.join(', ')} and below`).join('; and of these only ')}`;
}

/** Where an agent runs that is to work in a directory (a real path). @throws ZwarmError `not_allowed` */
export function requireAllowedRoot(limits: Limits, path: string): string {
  if (limits === null) return path;
  const found = allowedRoot(limits, path);
  if ('root' in found) return found.root;
  const allowed = allowedBy(limits);
  if (found.refused === 'closed')
    refuse('agents may not be sent there: other programs run what lies in it', allowed);
  if (found.refused === 'outside') refuse('that directory is not allowed', allowed);
  const part =
    'the project allows only a part of an allowed directory, which an agent above it could exchange';
  return refuse(part, `the user can allow that part alone in the configuration (allowed_dirs); ${allowed}`);
}

/**
 * The directory of a session, now at this real path, is one in which its caller's agents may run: an allowed one, or the
 * worktree that was made for it. @throws ZwarmError `not_allowed`
 */
export function requireAllowedDirectory(
  limits: Policy,
  path: string,
  { worktree }: Pick<SessionRecord, 'worktree'>,
): void {
  if (path === worktree?.path) return;
  if (requireAllowedRoot(limits, path) !== path)
    refuse('agents that the user did not start run at an allowed directory itself', allowedBy(limits));
}

/** Refuses a turn that its caller may not have. */
function requireWithin(limits: Policy, record: KnownRecord): void {
  requireAllowedDirectory(limits, record.working_dir, record);
  if (isWider(record.sandbox, limits.sandbox))
    refuse(`the sandbox ${record.sandbox} is not allowed`, `the widest that is allowed: ${limits.sandbox}`);
  if (record.unconfined && !limits.unconfined)
    refuse(
      `nothing here keeps ${record.agent} within a sandbox: it could do whatever the user can`,
      'take another agent; the user can allow it: zwarm config set unconfined true; see: zwarm doctor',
    );
  if (record.agent_args.length > 0)
    refuse(
      'arguments for the agent’s own program are for the user alone: they could widen its sandbox',
      'leave them out, or take a session without any',
    );
}

/** How many sessions stand above a new one of this caller; infinite where one of them is gone. */
function depthBelow(store: Store | null, { source, parent }: Caller): number {
  if (parent === null) return source === UNKNOWN_AGENT ? Number.POSITIVE_INFINITY : 0;
  const above = store === null ? null : ancestryOf({ store, id: parent });
  return above?.complete ? above.ids.length : Number.POSITIVE_INFINITY;
}

/** Refuses a new session that its caller may not have, its quota aside. @throws ZwarmError `not_allowed` */
export function requireAllowedSession(
  context: ManagerContext,
  store: Store | null,
  limits: Limits,
  record: KnownRecord,
): void {
  if (limits === null) return;
  const depth = depthBelow(store, callerOf(context));
  if (depth === Number.POSITIVE_INFINITY)
    refuse('a session above this one is gone: its depth cannot be told', 'do it yourself');
  if (depth > limits.maxDepth)
    refuse(
      `this would be a session at depth ${depth}, and no more than ${limits.maxDepth} is allowed`,
      'do it yourself, or leave it to the session above',
    );
  requireWithin(limits, record);
}

/** Refuses a new session that is to run others, and could not. @throws ZwarmError `not_allowed` */
export function requireRoomBelow(context: ManagerContext, store: Store | null, { policy }: Settings): void {
  if (depthBelow(store, callerOf(context)) < policy.maxDepth) return;
  const what = `it could start no other session: max_depth is ${policy.maxDepth}`;
  refuse(what, 'the user can raise it: zwarm config set max_depth NUMBER');
}

/** Whether the caller is the user, or started a session, or what it started did. */
export function isOwn(context: ManagerContext, session: Session): boolean {
  const { source } = callerOf(context);
  return isUsers(source) || ancestryOf(session).sources.includes(source);
}

/**
 * Refuses to speak to a session that its caller has not started, or to wind it back: an agent that could go on with the
 * session above it would stand above itself. @throws ZwarmError `not_allowed`
 */
export function requireOwn(context: ManagerContext, session: Session): void {
  if (isOwn(context, session)) return;
  refuse(`${session.id} was not started by you`, 'speak to sessions that you started, or start one');
}

/** The limits of the caller for a session's next turn, which is within. @throws ZwarmError `not_allowed`, `over_quota` */
export async function requireAllowedTurn(
  context: ManagerContext,
  session: Session & { readonly record: KnownRecord },
): Promise<Limits> {
  if (isUsers(callerOf(context).source)) return null;
  requireOwn(context, session);
  const { limits } = await settingsFor(context, session.store);
  if (limits === null) return null;
  requireWithin(limits, session.record);
  await requireQuota(context, session.store, limits);
  return limits;
}

/**
 * Refuses to land what a session changed: all but the user may do so only where the user allows it, with what they started, and
 * onto the branch that its tree came from. @throws ZwarmError `not_allowed`
 */
export async function requireMayLand(
  context: ManagerContext,
  session: Session,
  { onto }: { readonly onto?: string | undefined },
): Promise<void> {
  if (isUsers(callerOf(context).source)) return;
  const { limits } = await settingsFor(context, session.store);
  requireOwn(context, session);
  if (!limits?.allowLand)
    refuse(
      'landing is left to the user',
      'tell the user what is to be landed; the user can allow it: zwarm config set allow_land true',
    );
  if (onto !== undefined)
    refuse('another branch is named by the user alone', 'leave it out: the one that its tree came from');
}

/** Refuses to end or delete what others started, unless the configuration allows it. @throws ZwarmError `not_allowed` */
export async function requireMayEnd(context: ManagerContext, session: Session): Promise<void> {
  // What is one's own can be ended whatever became of the configuration.
  if (isOwn(context, session)) return;
  const { limits } = await settingsFor(context, session.store);
  if (limits?.endOthers) return;
  refuse(`${session.id} was not started by you`, 'only sessions that you started can be ended or deleted');
}
