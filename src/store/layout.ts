import { dirname } from 'node:path';
import type { SessionId } from '../core/ids.ts';
import type { CancelReason } from '../core/status.ts';

/*
 * Where everything lies: `state` is zwarm's directory of state, `root` the store of one project; docs/formats.md says what
 * each file holds. The paths are concatenated: a list asks for tens of thousands, and `path.join` is slow.
 */

/** A session on the disk: the store that it lies in, and its id. */
export interface SessionDir {
  readonly store: { readonly root: string };
  readonly id: SessionId;
}

/** A turn on the disk: its session and its number. */
export interface TurnDir extends SessionDir {
  readonly turn: number;
}

/** The version in the `format` file; a newer one is read as far as possible and never written to. */
export const FORMAT = 2;

/** Names that begin so are being built; every reader skips them, and nothing else. */
export const BUILDING_PREFIX = '.new-';

export const projectsDir = (state: string): string => `${state}/projects`;
/** The state directory in which a store lies. */
export const stateOf = (root: string): string => dirname(dirname(root));
/** What is mounted in a directory where confined agents run; `key` stands for its path. */
export const mountsDir = (state: string, key: string): string => `${state}/mounts/${key}`;
/** Why nothing that waits is begun with an account of an agent; `key` stands for both. */
export const holdFile = (state: string, key: string): string => `${state}/holds/${key}.json`;
/** The wakers: a directory for each that there was; and when the present one is to act (seconds since the epoch). */
export const wakersDir = (state: string): string => `${state}/wakers`;
export const wakeFile = (state: string): string => `${state}/wakers/at`;
/** What is to be told to the user: a file for each, with who tells it and how the last call ended. */
export const notificationsDir = (state: string): string => `${state}/notifications`;
/** Who moves a branch: a directory for each process that did. */
export const landersDir = (state: string): string => `${state}/landers`;
/** Where worktrees are made that cannot be made beside their project. */
export const statesTreesDir = (state: string): string => `${state}/trees`;
/** Who has which ten ports: a link for each slot. */
export const portsDir = (state: string): string => `${state}/ports`;
export const portSlot = (state: string, slot: number): string => `${state}/ports/${slot}`;
/** What Node has compiled of zwarm (bin/compiled.js), or a file, and then nothing is kept. */
export const compiledDir = (state: string): string => `${state}/compiled`;
export const seenDir = (state: string): string => `${state}/seen`;
/** All that zwarm trusts in the state directory: worktrees lie there, too, and whatever else the user has put there. */
export const trustedParts = (state: string): readonly string[] =>
  'projects mounts holds wakers notifications landers ports seen compiled trusted'
    .split(' ')
    .map((part) => `${state}/${part}`);

export const formatFile = (root: string): string => `${root}/format`;
export const projectFile = (root: string): string => `${root}/project.json`;
export const sessionsDir = (root: string): string => `${root}/sessions`;
export const trashDir = (root: string): string => `${root}/trash`;
/** What was removed and exists nowhere else, until it is removed for good. */
export const trashedDir = ({ store, id }: SessionDir): string => `${trashDir(store.root)}/${id}`;
/** The turns that wait: a file for each. */
export const queueDir = (root: string): string => `${root}/queue`;
/** Who looks at these: a directory for each process that did; and who wants that. */
export const dispatchersDir = (root: string): string => `${root}/dispatchers`;
/** Who writes in which directory: a link for each turn that runs. */
export const writersDir = (root: string): string => `${root}/writers`;
export const writerLink = ({ store, id, turn }: TurnDir): string => `${writersDir(store.root)}/${id}.${turn}`;
/** The places of which each turn takes one where only so many may run at once. */
export const slotsDir = (root: string): string => `${root}/slots`;
export const sessionDir = ({ store, id }: SessionDir): string => `${sessionsDir(store.root)}/${id}`;
/** Where a session is built before it appears. */
export const buildingDir = ({ store, id }: SessionDir): string =>
  `${sessionsDir(store.root)}/${BUILDING_PREFIX}${id}`;
/** What worktrees were made for which sessions: a file for each, there before the worktree is. */
export const treesDir = (root: string): string => `${root}/trees`;
export const treeFile = ({ store, id }: SessionDir): string => `${treesDir(store.root)}/${id}.json`;
/** The same while the worktree is being made. */
export const newTreeFile = ({ store, id }: SessionDir): string => `${treesDir(store.root)}/${id}.making`;
/** Says of such a tree that no agent has been able to write in it yet. */
export const untouchedFile = ({ store, id }: SessionDir): string => `${treesDir(store.root)}/${id}.untouched`;
export const namesDir = (root: string): string => `${root}/names`;
export const nameLink = (root: string, name: string): string => `${namesDir(root)}/${name}`;
export const sessionFile = (session: SessionDir): string => `${sessionDir(session)}/session.json`;
export const summaryFile = (session: SessionDir): string => `${sessionDir(session)}/summary.json`;
/** What of the session's tree was brought onto a branch last. */
export const landedFile = (session: SessionDir): string => `${sessionDir(session)}/landed.json`;
/** The repository in which the snapshots of a session are. */
export const snapshotsDir = (session: SessionDir): string => `${sessionDir(session)}/snapshots.git`;
/** What was undone, and done again: a file for each. */
export const undosDir = (session: SessionDir): string => `${sessionDir(session)}/undos`;
export const turnsDir = (session: SessionDir): string => `${sessionDir(session)}/turns`;
export const turnDir = (turn: TurnDir): string => `${turnsDir(turn)}/${turn.turn}`;

/** The directory in a checkout through which people look into the store. */
export const WINDOW_NAME = '.zwarm';
export const windowDir = (checkout: string): string => `${checkout}/${WINDOW_NAME}`;
/** The link in it that leads to the sessions of the store. */
export const windowLink = (checkout: string): string => `${windowDir(checkout)}/sessions`;

/** The files of a turn. */
export const TURN_FILES = {
  request: 'request.json',
  prompt: 'prompt.md',
  environment: 'environment',
  deferral: 'deferral.json',
  input: 'input.md',
  schema: 'schema.json',
  setup: 'setup.log',
  launch: 'launch.json',
  runner: 'runner.stat',
  events: 'events.jsonl',
  stderr: 'stderr.log',
  cancel: 'cancel.json',
  exit: 'exit.json',
  before: 'before.json',
  after: 'after.json',
  notified: 'notified.json',
  filter: 'socket-filter',
} as const;

export type TurnFile = keyof typeof TURN_FILES;

/** The path of one file of a turn. */
export const turnFile = (turn: TurnDir, file: TurnFile): string => `${turnDir(turn)}/${TURN_FILES[file]}`;

/** The empty file that says why a turn was cancelled, where a full disk has no room for `cancel.json`. */
export const cancelName = (turn: TurnDir, why: CancelReason): string => `${turnDir(turn)}/cancel.${why}`;

/** The empty file that says how a turn ended, where a full disk has no room for `exit.json`. */
export const exitName = (turn: TurnDir, code: number | null): string => `${turnDir(turn)}/exit.${code}`;

/** The exit code in the name of an `exit.<code>` file, null for `exit.null`, undefined for any other name. */
export function exitCodeOfName(name: string): number | null | undefined {
  const match = /^exit\.(null|[0-9]{1,3})$/.exec(name);
  if (!match) return undefined;
  return match[1] === 'null' ? null : Number(match[1]);
}
