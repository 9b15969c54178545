import { AGENTS } from '../../agents/registry.ts';
import { type Check, type Finding, finding } from '../../core/check.ts';
import { nodeVersion } from '../../process/node-version.ts';
import { type ManagerContext, openForReading, type Store } from '../context.ts';
import { checkAgents, isolated } from '../doctor/agents.ts';
import { checkConfinement } from '../doctor/confinement.ts';
import { checkGit, checkNode, checkRepository, checkServers } from '../doctor/installation.ts';
import { checkLeftoverFiles, checkLeftoverProcesses } from '../doctor/leftovers.ts';
import { checkNotify } from '../doctor/notify.ts';
import { checkSessions } from '../doctor/sessions.ts';
import {
  checkProjects,
  checkReach,
  checkStateDirectory,
  fileSystemHere,
  judgeFileSystem,
  judgeSpace,
} from '../doctor/state-directory.ts';

/** How long a program may take to answer a question. */
const ANSWER_MS = 10_000;

const UNUSABLE = 'the state directory cannot be used';

/** The store, or the reason why there is nothing to look into. */
function storeOf(context: ManagerContext): Store | string {
  try {
    return openForReading(context) ?? 'this project has no sessions yet';
  } catch {
    // `state-directory` says why.
    return UNUSABLE;
  }
}

/** Checks everything that zwarm needs, and says what to do about what is wrong. Writes nothing, and never throws. */
export async function doctor(context: ManagerContext): Promise<readonly Check[]> {
  const store = storeOf(context);
  const ofStore = (name: string, check: (store: Store) => Finding | Promise<Finding>) =>
    isolated(name, () => (typeof store === 'string' ? finding('skipped', store) : check(store)));
  const checks = await Promise.all([
    isolated('node', () => checkNode(nodeVersion(), context.paths.node)),
    isolated('git', () => checkGit(context, ANSWER_MS)),
    isolated('repository', () => checkRepository(context)),
    checkAgents(context, AGENTS, ANSWER_MS),
    isolated('confinement', () => checkConfinement(context, AGENTS)),
    isolated('state-directory', () => checkStateDirectory(context)),
    isolated('file-system', () => judgeFileSystem(fileSystemHere(context))),
    isolated('free-space', () => judgeSpace(fileSystemHere(context))),
    isolated('agent-access', () => checkReach(context)),
    isolated('projects', () => (store === UNUSABLE ? finding('skipped', store) : checkProjects(context))),
    ofStore('sessions', checkSessions),
    ofStore('leftover-files', (opened) => checkLeftoverFiles(context, opened)),
    ofStore('leftover-processes', (opened) => checkLeftoverProcesses(context, opened)),
    isolated('notify', () => checkNotify(context)),
    isolated('servers', () => checkServers(context)),
  ]);
  return checks.flat();
}
