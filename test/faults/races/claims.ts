import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../../src/core/ids.ts';
import { markOfTurn } from '../../../src/core/turn-mark.ts';
import { installation } from '../../../src/installation.ts';
import { hostIdentity, MARK_VARIABLE, ownIdentity } from '../../../src/process/identity.ts';
import { spawnRunner } from '../../../src/process/launch.ts';
import { claimTurn, createSession } from '../../../src/store/claim.ts';
import { projectFile } from '../../../src/store/layout.ts';
import type { RequestRecord } from '../../../src/store/records.ts';
import { repositoryFile } from '../../helpers/project.ts';
import { RECORD, requestOf, storeOf } from '../../helpers/store.ts';
import type { Scene } from '../counting/scene.ts';

const { newId, newNonce } = installation();

/** A turn that was claimed, and whose launcher has not come further. */
export interface Claimed {
  readonly id: SessionId;
  readonly turn: number;
  readonly nonce: string;
}

/** The claim of a process that died long ago. */
function requestOfTheDead(): RequestRecord {
  const at = new Date(Date.now() - 3_600_000).toISOString();
  return { ...requestOf(newNonce()), claimer: { ...ownIdentity(), start: '1' }, at };
}

/** A session whose only turn was claimed by a process that died long ago. */
export function claimedSession({ state, directory }: Scene, message: string): Claimed {
  const id = newId() as SessionId;
  const request = requestOfTheDead();
  const record = { ...RECORD, working_dir: directory, created_at: request.at };
  const claim = { request, prompt: Buffer.from(message) };
  const store = storeOf(state, directory);
  createSession({ store, id, record, names: [], claims: [claim], copies: [], unique: newNonce() });
  return { id, turn: 1, nonce: request.nonce };
}

/** The next turn of a session, claimed by such a process. */
export function claimedTurn({ root }: Scene, id: SessionId, turn: number, message: string): Claimed {
  const request = requestOfTheDead();
  claimTurn({ store: { root }, id, turn }, { request, prompt: Buffer.from(message) });
  return { id, turn, nonce: request.nonce };
}

/** Starts a runner on a claimed turn, as its launcher would; resolves when it has gone, with how. */
export function startRunner({ root, directory, env }: Scene, { id, turn, nonce }: Claimed): Promise<string> {
  const { host, boot_id, pid_ns, uid } = hostIdentity();
  return spawnRunner({
    script: repositoryFile('bin/turn-runner.sh'),
    cwd: join(root, 'sessions', id, 'turns', String(turn)),
    identity: JSON.stringify({ v: 1, host, boot_id, pid_ns, uid }).slice(0, -1),
    directory,
    input: 'prompt.md',
    limits: null,
    setup: false,
    program: env['ZWARM_CODEX_BIN'] ?? '',
    argv: ['exec'],
    env: {
      ...env,
      ZWARM_SESSION_ID: id,
      ZWARM_TURN: String(turn),
      [MARK_VARIABLE]: markOfTurn(
        { store: { id: JSON.parse(readFileSync(projectFile(root), 'utf8')).store_id }, id, turn },
        nonce,
      ),
    },
  }).ended.then(({ message }) => message);
}
