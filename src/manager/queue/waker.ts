import { hostIdentity, ownIdentity } from '../../process/identity.ts';
import { spawnWaker } from '../../process/launch.ts';
import { claimGeneration } from '../../store/generations.ts';
import { wakeFile, wakersDir } from '../../store/layout.ts';
import { putWakeTime, readWakeTime } from '../../store/wakers.ts';
import type { ManagerContext } from '../context.ts';
import { wakerNow } from '../session/wake-time.ts';

/** What of an environment the waker, the zwarm that it starts and its notifications need; agents get that of who queued them. */
const VARIABLES = [
  ...['HOME', 'PATH', 'LANG', 'TMPDIR', 'TZ', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'],
  ...['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS', 'DISPLAY', 'WAYLAND_DISPLAY'],
];

/** Has what waits looked at again at a time (ms since the epoch): by the waker that there is, or a new one. */
export async function wakeAt(context: ManagerContext, state: string, ms: number): Promise<void> {
  const seconds = Math.ceil(ms / 1000);
  const { newest, lives } = wakerNow(state);
  const mine = ownIdentity();
  // One that has become this command will not sleep again.
  const sleeps = lives && newest.identity?.pid !== mine.pid;
  const known = sleeps ? readWakeTime(state) : null;
  if (known === null || seconds < known || known * 1000 < context.now())
    putWakeTime(state, seconds, context.newNonce());
  if (sleeps) return;
  const cwd = claimGeneration(wakersDir(state), newest, mine, context.newNonce());
  if (cwd === null) return;
  const { host, boot_id, pid_ns, uid } = hostIdentity();
  const own = Object.fromEntries(VARIABLES.map((name) => [name, context.env[name]]));
  await spawnWaker({
    script: context.paths.waker,
    cwd,
    identity: JSON.stringify({ v: 1, host, boot_id, pid_ns, uid }).slice(0, -1),
    at: wakeFile(state),
    env: { ...own, ZWARM_DIR: state, ZWARM_NODE: context.paths.node, ZWARM_MAIN: context.paths.cli },
  });
}
