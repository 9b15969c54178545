import { type Finding, finding } from '../../core/check.ts';
import { shellWord } from '../../core/shell-word.ts';
import { inspectTree, type Oddity } from '../../store/inspect.ts';
import type { ManagerContext, Store } from '../context.ts';

const WORDS: Readonly<Record<Oddity, string>> = {
  foreign: 'of another user',
  writable: 'that others can write',
  readable: 'that others can read',
  special: 'neither file nor directory (zwarm follows and reads none of these)',
  closed: 'closed to you',
};

/** Advice for what was found, the worst first. Never to change owners: who plants a file could mean another one by it. */
function adviceFor(root: string, found: ReadonlySet<Oddity>): string {
  const word = shellWord(root);
  if (found.has('foreign')) return `find out who writes there (zwarm under sudo?): ls -lRn ${word}`;
  if (found.has('writable') || found.has('readable')) return `make it yours alone: chmod -R go= ${word}`;
  return `look at it: ls -lRn ${word}`;
}

/** An agent can make paths of some thousand characters. */
function shortPath(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 199)}…`;
}

/** Whether everything below the state directory is ours, and ours alone to read and write. */
export function checkPermissions({ uid }: ManagerContext, { root }: Store): Finding {
  const { looked, whole, odd } = inspectTree(root, uid);
  const rest = whole ? [] : [`only the first ${looked.toLocaleString('en-US')} entries were looked at`];
  if (odd.size === 0) {
    if (!whole) return finding('warning', `${rest}: something fills it`, `look at it: du ${shellWord(root)}`);
    return finding('ok', `${looked.toLocaleString('en-US')} files and directories, all of them yours alone`);
  }
  const told = [...odd].map(
    ([what, { count, first }]) =>
      `${count} ${count === 1 ? 'entry' : 'entries'} ${WORDS[what]}, such as ${shortPath(first)}`,
  );
  return finding('warning', [...told, ...rest].join('; '), adviceFor(root, new Set(odd.keys())));
}
