import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import { sessionsDir, windowDir } from '../../store/layout.ts';
import type { MovedStore } from '../../store/moved-store.ts';
import { whyNotOurs } from '../../store/own-place.ts';
import { windowStateOf, windowTarget } from '../../store/window.ts';
import { locateProject, type ManagerContext, movedHere, type Store } from '../context.ts';
import { isToTell } from './told-once.ts';

/** How long the child may take that makes a window. */
const MAKE_MS = 5000;

/** Makes the window of the checkout where there is none; a warning where that failed, once for each project, else null. */
export async function openWindow(context: ManagerContext, store: Store): Promise<string | null> {
  const project = locateProject(context);
  const { checkout, gitDir } = project;
  // A bare repository has no checkout.
  if (checkout === gitDir) return null;
  const sessions = sessionsDir(store.root);
  const target = windowTarget(checkout);
  // Where it leads to sessions that may belong to the project, it is what says so.
  const isWitness = ({ root, isSeen }: MovedStore): boolean => isSeen && root !== store.root;
  if (target !== null && target !== sessions && movedHere(project).some(isWitness)) return null;
  const stateNow = () => windowStateOf(checkout, sessions);

  async function make(): Promise<void> {
    const { ask } = await import('../../process/run.ts');
    const options = { cwd: checkout, env: {}, timeoutMs: MAKE_MS };
    const { stderr } = await ask('/bin/sh', [context.paths.windowMaker, checkout, sessions], options);
    // Another start may have been first.
    if (stateNow() === 'free') throw new ZwarmError('io', stderr.trim() || 'it was exchanged meanwhile');
  }

  const foreign = whyNotOurs(context, windowDir(checkout));
  let why =
    foreign === null
      ? "is not a link of zwarm's and stays as it is"
      : `could not be made: ${foreign.message}`;
  try {
    if (foreign === null && stateNow() === 'free') await make();
    if (stateNow() === 'open') return null;
  } catch (error) {
    why = `could not be made: ${toZwarmError(error).message}`;
  }
  if (!isToTell(store, 'window-told')) return null;
  return `${windowDir(checkout)} ${why}; the sessions are in ${sessions}`;
}
