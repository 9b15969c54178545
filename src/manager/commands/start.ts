import { readyError } from '../../core/errors.ts';
import { gitPlaceByHand } from '../../core/git-command.ts';
import { parseName } from '../../core/ids.ts';
import { isWithin } from '../../core/path.ts';
import { nameOfKey } from '../../core/rules/key.ts';
import type { SessionSummary } from '../../core/session.ts';
import { type Claim, createSession } from '../../store/claim.ts';
import { fileSystemOf } from '../../store/file-system.ts';
import { gitStateOf } from '../../store/git.ts';
import { TURN_FILES } from '../../store/layout.ts';
import { hasStore } from '../../store/project-store.ts';
import type { SessionRecord } from '../../store/records.ts';
import { isElsewhere } from '../../store/which-project.ts';
import { callerOf, isUsers } from '../access/caller.ts';
import { findByKey } from '../access/locate-session.ts';
import { requireAllowedSession, requireRoomBelow } from '../access/permissions.ts';
import { requireQuota } from '../access/quota.ts';
import { requireOutOfReach } from '../access/reach.ts';
import { requireBudget } from '../access/require-budget.ts';
import {
  createStoreHere,
  locateProject,
  type ManagerContext,
  openForReading,
  type Session,
  type Store,
} from '../context.ts';
import { argumentsOfTurn } from '../launch/agent-arguments.ts';
import { requireFreeName } from '../launch/free-name.ts';
import { commandOf, type StartedTurn, toolServer } from '../launch/launch-turn.ts';
import { newRecord, type StartOptions } from '../launch/new-record.ts';
import { type Checked, launchNext, withProgram } from '../launch/next-turn.ts';
import type { TreePlan } from '../launch/plan-tree.ts';
import { requireMessage } from '../launch/preconditions.ts';
import type { GotOrStarted, StartedSession } from '../launch/start-once.ts';
import { openWindow } from '../project/open-window.ts';
import { isToTell } from '../project/told-once.ts';
import type { WaitsFor } from '../queue/queue-turn.ts';
import { openTurns, readStateFromRecords } from '../session/current-turn.ts';
import { removedError } from '../session/damage.ts';
import { othersWriting } from '../turn/writers.ts';
import { list } from './ls.ts';

/** Whether a new session may have to wait. */
const waits = ({ queue = false, after = [] }: Pick<StartOptions, 'queue' | 'after'>): boolean =>
  queue || after.length > 0;

/** A first turn that was checked, the name of its session, and the store of the project, if it has one. */
async function prepare(context: ManagerContext, options: StartOptions, called: string) {
  const existing = openForReading(context, true);
  const { record, chosen, settings, limits } = await newRecord(context, existing, options);
  if (record.orchestrates) requireRoomBelow(context, existing, settings);
  const names = [
    // First: of several starts with one key, one begins the session.
    ...(record.key === null ? [] : [nameOfKey(record.source, record.key)]),
    ...(options.name === undefined ? [] : [parseName(options.name)]),
  ];
  if (existing !== null) for (const name of names) await requireFreeName(context, existing, name);
  requireAllowedSession(context, existing, limits, record);
  if (!waits(options)) await requireQuota(context, existing, limits);
  if (existing !== null) await requireBudget(context, { store: existing, id: null, record });
  const { worktree } = options;
  const first = { ...chosen, record, limits };
  const checked = await withProgram(context, first, { id: null, getsTree: worktree !== undefined });
  if (worktree === undefined) return { checked, names, existing, plan: null };
  const { planTree } = await import('../launch/plan-tree.ts');
  const plan = await planTree(context, first, {
    ...worktree,
    name: called,
    worktreeDir: settings.worktreeDir,
  });
  return { checked, names, existing, plan };
}

/** What a start would do. */
export interface StartPlan {
  readonly name: string | null;
  readonly agent: string;
  readonly working_dir: string;
  readonly work_in: string | null;
  readonly worktree: SessionSummary['worktree'];
  /** The program of the agent, and its arguments; the task is its stdin. */
  readonly command: readonly string[];
}

/** In the place of an id that no session has yet. */
const NO_ID = 'ID';

/** Tells what a start would do, and does nothing. @throws ZwarmError as `start` */
export async function planStart(context: ManagerContext, options: StartOptions): Promise<StartPlan> {
  requireMessage(options.task, null);
  const { name = null } = options;
  const { checked, plan } = await prepare(context, options, name ?? NO_ID);
  const worktree = plan && { path: plan.path, branch: plan.branch, base: plan.base };
  const place = plan && { working_dir: plan.path, work_in: plan.workIn };
  const record = { ...checked.record, ...place };
  const { schema } = record;
  const { args } = commandOf(
    { ...checked, record },
    { threadId: null, forks: false },
    {
      agentArgs: argumentsOfTurn(checked.adapter, record, true).agentArgs,
      newThreadId: NO_ID,
      schema: schema === null ? null : { text: schema, path: TURN_FILES.schema },
      tools: record.orchestrates ? toolServer(context, {}) : null,
    },
  );
  const { program } = checked;
  return {
    ...{ name, agent: record.agent, working_dir: record.working_dir, work_in: record.work_in },
    worktree,
    command: [program.path, ...program.args, ...args],
  };
}

/** Refuses what `start` would refuse whatever the task: before one is written. @throws ZwarmError */
export async function checkStart(context: ManagerContext, options: Omit<StartOptions, 'task'>) {
  const isThere = options.key !== undefined && findByKey(context, options.key) !== null;
  if (!isThere) await prepare(context, { ...options, task: '' }, options.name ?? context.newId());
}

/** Warns of an agent with write access that runs above a directory; or null. */
async function warnOfAgentsAbove(context: ManagerContext, directory: string): Promise<string | null> {
  const live = { all: true, exactly: true, statuses: ['running', 'pending'] } as const;
  const { rows } = await list(context, live, (row) => row);
  const above = rows.find(
    ({ sandbox, working_dir: at }) =>
      sandbox !== 'read-only' && at !== null && at !== directory && isWithin(directory, at),
  );
  return above === undefined
    ? null
    : `the agent of ${above.id} works above ${directory} and can put a link to another directory in its place`;
}

/** Warns of agents that write in the directory of a new one; or null. */
function warnOfOthers(
  store: Store | null,
  { sandbox, working_dir: directory }: SessionRecord,
): string | null {
  if (store === null || sandbox === 'read-only') return null;
  const others = othersWriting({ store, id: null }, directory);
  if (others.length === 0) return null;
  const whose =
    others.length === 1 ? `the agent of ${others[0]} writes` : `the agents of ${others.join(', ')} write`;
  return `${whose} in the same directory; with -W it would have a tree of its own`;
}

/** Warns of a state directory that goes with a container or a restart while the project itself stays; or null. */
function warnOfVolatileState({ root, state, projectRoot }: Store): string | null {
  const { passing } = fileSystemOf(root);
  if (passing === null || fileSystemOf(projectRoot).passing !== null) return null;
  return `${state} lies on ${passing}, and may be gone sooner than the project; set ZWARM_DIR to a directory that stays`;
}

/** Says once in a project that its agents do not get what the user has said of where git works; else null. */
function tellOfGitPlace({ env }: ManagerContext, store: Store): string | null {
  const name = gitPlaceByHand(env);
  if (name === null || !isToTell(store, 'git-told')) return null;
  return `${name} of your environment is not passed on: each agent works in the repository of its own directory`;
}

/** What to say of sessions that may belong to a project which has none yet. */
const offered = async (context: ManagerContext): Promise<readonly string[]> =>
  (await import('../project/moved-project.ts')).offers(locateProject(context));

/** What a new session waits for, or null where it begins at once. @throws ZwarmError `not_found` */
async function waitsFor(
  context: ManagerContext,
  existing: Store | null,
  { queue = false, after = [], evenIfFailed = false }: StartOptions,
): Promise<WaitsFor | null> {
  if (!waits({ queue, after })) return null;
  const named = after.map(async (id) => {
    if (existing === null) throw removedError(id);
    const newest = openTurns(await readStateFromRecords({ store: existing, id }, context.now())).at(-1);
    if (newest === undefined) throw readyError(id, 'there is nothing to wait for');
    return { id, turn: newest.turn };
  });
  return { after: await Promise.all(named), even_if_failed: evenIfFailed };
}

/** A session that can be created, and what its first turn waits for, or null. */
interface Beginning extends Session {
  readonly checked: Checked;
  readonly names: readonly string[];
  readonly waitsForOthers: WaitsFor | null;
}

/** Creates a session and launches its first turn, or lets it wait; returns also what the window has to say. */
async function create(
  context: ManagerContext,
  { checked, names, waitsForOthers, ...session }: Beginning,
  { retries, task: message }: StartOptions,
): Promise<{ started: StartedTurn; window: string | null }> {
  const { record } = checked;
  const given = { kind: 'prompt', message, covers: [], historyChars: 0, retries } as const;
  const next = { ...session, ...checked, ...given, before: [] };
  const claimIt = (claim: Claim): void => {
    const git = gitStateOf(record.working_dir);
    const unique = context.newNonce();
    createSession({ ...session, record: { ...record, git }, names, claims: [claim], copies: [], unique });
  };
  let window: string | null = null;
  const openIt = async (): Promise<void> => {
    window = await openWindow(context, session.store);
  };
  if (waitsForOthers !== null) {
    const { queueTurn } = await import('../queue/queue-turn.ts');
    const started = await queueTurn(context, { ...next, ...waitsForOthers, turn: 1 }, claimIt);
    await openIt();
    return { started, window };
  }
  const started = await launchNext(context, next, {
    continues: null,
    claim: (_, claim) => claimIt(claim),
    afterClaim: openIt,
  });
  return { started, window };
}

/** The same in the tree that was planned for it. */
async function createInTree(
  context: ManagerContext,
  { checked, ...beginning }: Beginning,
  plan: TreePlan,
  options: StartOptions,
) {
  const { inTree } = await import('../launch/tree.ts');
  return inTree(context, beginning, plan, async (place) => {
    const record = { ...checked.record, ...place };
    // The tree may have a configuration of the agent by which that writes elsewhere.
    const allowed = await requireOutOfReach(context, checked.adapter, record, checked.confiner !== null);
    return create(context, { ...beginning, checked: { ...checked, record, allowed } }, options);
  });
}

/** Creates a session and launches its first turn. @throws ZwarmError */
async function begin(context: ManagerContext, options: StartOptions): Promise<StartedSession> {
  requireMessage(options.task, null);
  const id = context.newId();
  const { checked, names, existing: before, plan } = await prepare(context, options, options.name ?? id);
  const { record, limits } = checked;
  const movesIt = isUsers(callerOf(context).source) && isElsewhere(locateProject(context));
  const home = movesIt ? await (await import('../project/bring-home.ts')).bringHome(context) : null;
  // Another start may have moved it since then.
  const isWhereItWas = before === null || hasStore(before.root);
  const existing = movesIt || !isWhereItWas ? openForReading(context, true) : before;
  // Only where another directory was named: a start reads no other session.
  const isNamed = limits === null && options.workingDir !== undefined && plan === null;
  const above = isNamed ? await warnOfAgentsAbove(context, record.working_dir) : null;
  const waitsForOthers = await waitsFor(context, existing, options);
  const isBeside = plan === null && waitsForOthers === null;
  const beside = isBeside ? warnOfOthers(existing, record) : null;
  const moved = existing === null ? await offered(context) : [];
  const store = existing ?? createStoreHere(context);
  const beginning = { store, id, checked, names, waitsForOthers };
  const { begun, notes: ofTree } =
    plan === null
      ? { begun: await create(context, beginning, options), notes: [] }
      : await createInTree(context, beginning, plan, options);
  const { started, window } = begun;
  const volatile = existing === null ? warnOfVolatileState(store) : null;
  const unconfined = record.unconfined
    ? `nothing keeps ${record.agent} within ${record.sandbox}: it can write wherever you can; see: zwarm doctor`
    : null;
  const ofGit = tellOfGitPlace(context, store);
  const warnings = [above, beside, ...moved, volatile, window, ofGit, unconfined].filter(
    (warning) => warning !== null,
  );
  const notes = [...(home === null ? [] : [home]), ...ofTree];
  return { ...started, started: true, warnings, notes };
}

/**
 * Creates a session and launches its first turn; with a key that this caller has used, that session is returned as it is.
 * When this returns, the task is safe on the disk and the agent's runner lives; bad input changes nothing. @throws ZwarmError
 */
export async function start(context: ManagerContext, options: StartOptions): Promise<StartedSession> {
  const { key } = options;
  if (key === undefined) return begin(context, options);
  const { startOnce } = await import('../launch/start-once.ts');
  return startOnce(context, key, options, () => begin(context, options));
}

/**
 * The session that has a name, as it is; where none has, it is started. Of several that ask at once one starts it, and all
 * get the same. @throws ZwarmError as `start`
 */
export async function getOrStart(
  context: ManagerContext,
  name: string,
  options: Omit<StartOptions, 'name'>,
): Promise<GotOrStarted> {
  const { getOrStart: get } = await import('../launch/start-once.ts');
  return get(context, name, async (parsed) => {
    const { id, started } = await start(context, { ...options, name: parsed });
    return { id, started };
  });
}
