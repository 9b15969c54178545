import { join } from 'node:path';
import { toZwarmError } from '../../core/errors.ts';
import { publishName } from '../../store/files.ts';
import { sessionsDir, windowDir } from '../../store/layout.ts';
import { makeWindowFromGit, windowStateOf } from '../../store/window.ts';
import { locateProject, type ManagerContext, type Store } from '../context.ts';

/** How long the child may take that makes a window. */
const MAKE_MS = 5000;

/** Whether the window of the checkout leads to the store now. */
async function hasWindow(context: ManagerContext, store: Store): Promise<boolean> {
  const { checkout, gitDir } = locateProject(context);
  const sessions = sessionsDir(store.root);
  const state = windowStateOf(checkout, sessions);
  if (state === 'open' || state === 'occupied') return state === 'open';
  if (state === 'missing' && gitDir !== null && gitDir !== checkout)
    if (makeWindowFromGit(checkout, gitDir, sessions, context.newNonce())) return true;
  const { ask } = await import('../../process/run.ts');
  const options = { cwd: checkout, env: {}, timeoutMs: MAKE_MS };
  const ended = await ask('/bin/sh', [context.paths.windowMaker, checkout, sessions], options);
  // Another start may have been first.
  return ended.code === 0 || windowStateOf(checkout, sessions) === 'open';
}

/**
 * Makes the window of the checkout where there is none. It is for people alone: a start never fails for want of it.
 * @returns what to tell the user: once per project that something else is in its place, or why it could not be made; or
 * null
 */
export async function openWindow(context: ManagerContext, store: Store): Promise<string | null> {
  // A bare repository has no checkout.
  const { checkout, path, gitDir } = locateProject(context);
  if (checkout === path && gitDir !== null) return null;
  const where = `the sessions are in ${sessionsDir(store.root)}`;
  try {
    if ((await hasWindow(context, store)) || !publishName(join(store.root, 'window-told'))) return null;
    return `${windowDir(checkout)} is not a link of zwarm's and stays as it is; ${where}`;
  } catch (error) {
    return `${windowDir(checkout)} could not be made: ${toZwarmError(error).message}; ${where}`;
  }
}
