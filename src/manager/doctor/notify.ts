import { type Finding, finding } from '../../core/check.ts';
import { desktopCommand, notifier } from '../../process/notify.ts';
import { readLastCall } from '../../store/notifications.ts';
import { locateProject, type ManagerContext, stateDirectory } from '../context.ts';

const HINT = 'it gets JSON on its stdin, and has 10 s; see notify in docs/configuration.md';

/** Whether the user's program for notifications is there, and how it ended the last time. */
export async function checkNotify(context: ManagerContext): Promise<Finding> {
  const { env } = context;
  const state = stateDirectory(context);
  const { notify } = await context.loadSettings({ env, projectRoot: state });
  if (notify === null) return finding('ok', 'off: no notifications are set up');
  const [name = ''] = notify.to === 'desktop' ? desktopCommand('') : notify.to;
  const last = readLastCall(state);
  if (last !== null && last.program === name && last.problem !== null) {
    const printed = last.output === '' ? '' : `; it printed: ${last.output}`;
    return finding('warning', `${name}, called at ${last.at}: ${last.problem}${printed}`, HINT);
  }
  try {
    const path = notifier(name, env, [locateProject(context).checkout]);
    const isIts = last !== null && last.program === name;
    return finding('ok', `${path}, ${isIts ? `last called at ${last.at}` : 'not called yet'}`);
  } catch (error) {
    return finding('warning', `${name}: ${error instanceof Error ? error.message : String(error)}`, HINT);
  }
}
