import type { SessionId } from '../core/ids.ts';
import type { CancelWhy } from '../core/status.ts';

/**
 * Where everything lies. `state` is zwarm's directory in the user's state directory, `root` the store of one project in
 * it; ids and turn numbers come from directory names, never from the contents of a file. `docs/formats.md` says what each
 * file holds and who writes it. The paths are put together by hand: a list asks for ten thousands, and `path.join` takes
 * apart what is whole.
 */

/** The version in the `format` file; a newer one is read as far as possible and never written to. */
export const FORMAT = 2;

/** Names that begin with a dot are being built; every reader skips them. */
export const BUILDING_PREFIX = '.new-';

export const projectsDir = (state: string): string => `${state}/projects`;
export const seenDir = (state: string): string => `${state}/seen`;

export const formatFile = (root: string): string => `${root}/format`;
export const projectFile = (root: string): string => `${root}/project.json`;
export const sessionsDir = (root: string): string => `${root}/sessions`;
export const trashDir = (root: string): string => `${root}/trash`;
export const sessionDir = (root: string, id: SessionId): string => `${sessionsDir(root)}/${id}`;
/** Where a session is built before it appears. */
export const buildingDir = (root: string, id: SessionId): string =>
  `${sessionsDir(root)}/${BUILDING_PREFIX}${id}`;
export const namesDir = (root: string): string => `${root}/names`;
export const nameLink = (root: string, name: string): string => `${namesDir(root)}/${name}`;
export const sessionFile = (root: string, id: SessionId): string => `${sessionDir(root, id)}/session.json`;
export const summaryFile = (root: string, id: SessionId): string => `${sessionDir(root, id)}/summary.json`;
export const turnsDir = (root: string, id: SessionId): string => `${sessionDir(root, id)}/turns`;
export const turnDir = (root: string, id: SessionId, turn: number): string => `${turnsDir(root, id)}/${turn}`;

/** The directory in a checkout through which people look into the store. */
export const WINDOW_NAME = '.zwarm';
export const windowDir = (checkout: string): string => `${checkout}/${WINDOW_NAME}`;
/** The link in it that leads to the sessions of the store. */
export const windowLink = (checkout: string): string => `${windowDir(checkout)}/sessions`;

/** The files of a turn. */
export const TURN_FILES = {
  request: 'request.json',
  prompt: 'prompt.md',
  input: 'input.md',
  launch: 'launch.json',
  runner: 'runner.stat',
  events: 'events.jsonl',
  stderr: 'stderr.log',
  cancel: 'cancel.json',
  exit: 'exit.json',
  notified: 'notified.json',
} as const;

export type TurnFile = keyof typeof TURN_FILES;

/** The path of one file of a turn. */
export const turnFile = (root: string, id: SessionId, turn: number, file: TurnFile): string =>
  `${turnDir(root, id, turn)}/${TURN_FILES[file]}`;

/** The name that says why a turn was cancelled, where a full disk has no room for `cancel.json`. */
export const cancelName = (root: string, id: SessionId, turn: number, why: CancelWhy): string =>
  `${turnDir(root, id, turn)}/cancel.${why}`;

/** Whether a name is that of a cancellation for which a full disk had no room. */
export function cancelNameOf(name: string): boolean {
  return /^cancel\.[a-z-]+$/.test(name) && name !== TURN_FILES.cancel;
}

/** The name that says how a turn ended, where a full disk has no room for `exit.json`. */
export const exitName = (root: string, id: SessionId, turn: number, code: number | null): string =>
  `${turnDir(root, id, turn)}/exit.${code}`;

/** The exit code in the name of an `exit.<code>` file, null for `exit.null`, undefined for any other name. */
export function exitCodeOfName(name: string): number | null | undefined {
  const match = /^exit\.(null|[0-9]{1,3})$/.exec(name);
  if (!match) return undefined;
  return match[1] === 'null' ? null : Number(match[1]);
}
