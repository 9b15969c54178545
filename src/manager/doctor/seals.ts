import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Finding, finding } from '../../core/check.ts';
import { shellWord } from '../../core/shell-word.ts';
import { type ManagerContext, type Store, userStateDir } from '../context.ts';
import { reachOf } from './reach.ts';

/** Whether seals are kept where nobody but the user can write: not other users, and no agent in its sandbox. */
export function checkSeals(context: ManagerContext, store: Store | null): Finding {
  const seals = join(userStateDir(context.env), 'zwarm', 'seals');
  // The user's own place, which may well be reached through a link.
  for (const path of [dirname(seals), seals]) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return finding('ok', `kept in ${seals} from the first start on`);
    if (!stat.isDirectory()) return finding('failed', `${path} is no directory`, 'move it away');
    if (stat.uid !== context.uid) {
      const hint = 'set XDG_STATE_HOME to a directory of yours';
      return finding('failed', `${path} belongs to another user (uid ${stat.uid})`, hint);
    }
    if ((stat.mode & 0o022) !== 0) {
      const hint = `make it yours alone: chmod 700 ${shellWord(path)}`;
      return finding('failed', `others can write to ${path}, and forge seals`, hint);
    }
  }
  const from = store === null ? null : reachOf(context, store, realpathSync(seals));
  if (from === null) return finding('ok', seals);
  return finding(
    'warning',
    `${seals} lies in ${from}, where an agent in the sandbox workspace-write could forge seals`,
    'set XDG_STATE_HOME to a directory in which no agent works',
  );
}
