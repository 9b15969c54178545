import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../src/core/ids.ts';
import type { RequestRecord, SessionRecord } from '../../src/core/session.ts';
import { ownIdentity } from '../../src/process/identity.ts';
import { createSession } from '../../src/store/claim.ts';
import type { Summary } from '../../src/store/summary.ts';
import { emptyDirectory } from './directory.ts';

/** An empty state directory and the place of its seals. */
export interface Places {
  readonly root: string;
  readonly seals: string;
}

export const ID = 'abcdefghjk' as SessionId;

export const RECORD: SessionRecord = {
  v: 1,
  agent: 'codex',
  task: 'say hello',
  working_dir: '/w',
  work_in: null,
  model: null,
  sandbox: 'read-only',
  agent_args: [],
  source: 'cli',
  name: null,
  tags: [],
  parent: null,
  forked_from: null,
  orchestrates: false,
  git: null,
  executor: 'local',
  created_at: '2026-11-20T10:00:00.000Z',
};

/** The claim of a turn by this process. */
export function requestOf(nonce: string): RequestRecord {
  return {
    v: 1,
    kind: 'prompt',
    queued: false,
    claimer: ownIdentity(),
    nonce,
    by: 'user',
    at: RECORD.created_at,
    to: null,
    covers: [],
  };
}

export function createPlaces(): Places {
  const base = emptyDirectory();
  const root = join(base, '.zwarm');
  mkdirSync(root, { mode: 0o700 });
  return { root, seals: join(base, 'seals') };
}

/** A state directory with the session `ID`, whose only turn was claimed and never launched. */
export function createStoredSession(): Places {
  const places = createPlaces();
  const claim = { request: requestOf('first'), prompt: Buffer.from('say hello') };
  createSession(places.root, places.seals, ID, RECORD, claim);
  return places;
}

export const USAGE = {
  input_tokens: 5,
  cached_input_tokens: 1,
  output_tokens: 2,
  reasoning_output_tokens: null,
  total_tokens: 7,
};
const LISTED = {
  name: null,
  tags: ['a'],
  title: 'say hello…',
  task: 'say hello\nto “everybody” 👋',
  agent: 'codex',
  model: null,
  sandbox: 'read-only',
  working_dir: '/w',
  work_in: null,
  source: 'user',
  parent: null,
  forked_from: { id: 'bcdefghjkm', turn: 1 },
  created_at: '2026-11-20T10:00:00.000Z',
  status: 'failed',
  turn: 1,
  updated_at: '2026-11-20T10:00:00.000Z',
  ended_at: '2026-11-20T10:00:00.000Z',
  duration_ms: 1000,
  pid: null,
  exit_code: 1,
  signal: null,
  error: { code: 'exit_code', message: 'm', hint: null, retryable: true, retry_at: null },
  pending: null,
  thread_id: 't',
  token_usage: USAGE,
  cost_usd: null,
  last_message: 'gesagt',
} as const;

/** A stored session, its directory, and a summary that would fit it; nobody has written one. */
export function createStoredSummary(): { root: string; directory: string; summary: Summary } {
  const { root } = createStoredSession();
  const directory = join(root, 'sessions', ID);
  const { size, mtimeMs } = lstatSync(join(directory, 'session.json'));
  return {
    root,
    directory,
    summary: { newest: 1, record: { bytes: size, mtime_ms: mtimeMs }, listed: LISTED },
  };
}
