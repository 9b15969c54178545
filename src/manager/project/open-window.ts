import { join } from 'node:path';
import { toZwarmError } from '../../core/errors.ts';
import { publishName } from '../../store/files.ts';
import { sessionsDir, windowDir } from '../../store/layout.ts';
import { makeWindowFromGit, windowStateOf } from '../../store/window.ts';
import { locateProject, type ManagerContext, type Store } from '../context.ts';

/** How long the child may take that makes a window. */
const MAKE_MS = 5000;

/** Makes the window of the checkout where there is none; returns a warning where that failed, or null. */
export async function openWindow(context: ManagerContext, store: Store): Promise<string | null> {
  const { checkout, gitDir } = locateProject(context);
  // A bare repository has no checkout.
  if (checkout === gitDir) return null;
  const sessions = sessionsDir(store.root);
  const where = `the sessions are in ${sessions}`;

  /** Whether the window leads to the store now. */
  async function isOpen(): Promise<boolean> {
    const state = windowStateOf(checkout, sessions);
    if (state === 'open' || state === 'occupied') return state === 'open';
    if (state === 'missing' && gitDir !== null)
      if (makeWindowFromGit(checkout, gitDir, sessions, context.newNonce())) return true;
    const { ask } = await import('../../process/run.ts');
    const options = { cwd: checkout, env: {}, timeoutMs: MAKE_MS };
    const ended = await ask('/bin/sh', [context.paths.windowMaker, checkout, sessions], options);
    // Another start may have been first.
    return ended.code === 0 || windowStateOf(checkout, sessions) === 'open';
  }

  try {
    if ((await isOpen()) || !publishName(join(store.root, 'window-told'))) return null;
    return `${windowDir(checkout)} is not a link of zwarm's and stays as it is; ${where}`;
  } catch (error) {
    return `${windowDir(checkout)} could not be made: ${toZwarmError(error).message}; ${where}`;
  }
}
