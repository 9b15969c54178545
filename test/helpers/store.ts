import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { digest } from '../../src/core/digest.ts';
import type { SessionId } from '../../src/core/ids.ts';
import type { ProcessIdentity } from '../../src/core/session.ts';
import type { Store } from '../../src/manager/context.ts';
import { hostIdentity, ownIdentity } from '../../src/process/identity.ts';
import { createSession } from '../../src/store/claim.ts';
import { identityOfDirectory } from '../../src/store/directory-identity.ts';
import { readNames } from '../../src/store/names.ts';
import { createStore } from '../../src/store/project-store.ts';
import type { RequestRecord, SessionRecord } from '../../src/store/records.ts';
import { emptyDirectory } from './directory.ts';

export const ID = 'abcdefghjk' as SessionId;

/** Who runs the tests, with no home. */
export const MAKER = { cwd: '/', env: {}, uid: process.getuid?.() ?? 0 };

export const RECORD: SessionRecord = {
  v: 1,
  agent: 'codex',
  task: 'say hello',
  working_dir: '/w',
  work_in: null,
  worktree: null,
  model: null,
  sandbox: 'read-only',
  unconfined: false,
  agent_args: [],
  source: 'cli',
  tags: [],
  metadata: {},
  parent: null,
  key: null,
  schema: null,
  forked_from: null,
  run_limits: null,
  budget: null,
  orchestrates: false,
  git: null,
  executor: 'local',
  unpacked: null,
  imported_at: null,
  created_at: '2026-11-20T10:00:00.000Z',
};

/**
 * What all nonces of this process end with: a mark counts by session, turn and nonce, whatever the store, and tests that
 * run at the same time use the same ids.
 */
const OF_THIS_PROCESS = randomBytes(8).toString('hex');

/** The claim of a turn by this process; its nonce begins with `word`. */
export function requestOf(word: string): RequestRecord {
  return {
    v: 1,
    kind: 'prompt',
    queued: false,
    after: [],
    even_if_failed: false,
    claimer: ownIdentity(),
    nonce: `${word}${OF_THIS_PROCESS}`,
    by: 'user',
    at: RECORD.created_at,
    to: null,
    covers: [],
    runs: null,
    run_limits: null,
    retry: null,
    adopted: null,
    opened: null,
  };
}

/** A process that cannot be there. */
export const DEAD: ProcessIdentity = { ...ownIdentity(), pid: 4_194_305 };

/** `runner.stat` as a runner of that identity would have written it, so long after the boot (s). */
export function runnerStat({ start, ...identity }: ProcessIdentity, uptime: number | null = null): string {
  const stat = `${identity.pid} (sh) S ${'0 '.repeat(18)}${start} 0`;
  return `${JSON.stringify({ v: 1, ...identity, stat, uptime })}\n`;
}

/** The store, without a session, of the project at `path` in this state directory; made where there is none. */
export function storeOf(state: string, path: string, host = hostIdentity().host): Store {
  const identity = identityOfDirectory(path);
  const { created_at } = RECORD;
  // A process of this store has an id of no other test's in its mark.
  const store_id = `test${digest(path).slice(0, 16)}`;
  const record = {
    v: 1,
    store_id,
    path,
    kept_at: null,
    seen_at: null,
    host,
    ...identity,
    created_at,
  } as const;
  const { root } = createStore(state, record, MAKER, 'test');
  return {
    root,
    state,
    id: store_id,
    projectRoot: path,
    isGone: false,
    caller: 'user',
    env: {},
    get names() {
      return readNames(root);
    },
    seen: null,
    prices: async () => new Map(),
  };
}

/** The store of an empty project, without a session. */
export function createEmptyStore(): Store {
  const base = emptyDirectory();
  const project = join(base, 'project');
  mkdirSync(project);
  return storeOf(join(base, 'state'), project);
}

/** Adds a session whose only turn was claimed and never launched. */
export function addSession(
  store: Store,
  id: SessionId,
  more: { readonly record?: Partial<SessionRecord>; readonly name?: string } = {},
): void {
  const record = { ...RECORD, ...more.record };
  const claim = { request: requestOf(store.id), prompt: Buffer.from(record.task) };
  createSession({
    store,
    id,
    record,
    names: more.name === undefined ? [] : [more.name],
    claims: [claim],
    copies: [],
    unique: 'test',
  });
}

/** The session `ID` of a store, for functions that take no more than its directory. */
export const sessionIn = (root: string) => ({ store: { root }, id: ID });

/** One of its turns. */
export const turnIn = (root: string, turn: number) => ({ ...sessionIn(root), turn });

/** A store with the session `ID`. */
export function createStoredSession(name?: string): Store {
  const store = createEmptyStore();
  addSession(store, ID, name === undefined ? {} : { name });
  return store;
}
