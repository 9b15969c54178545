import { join } from 'node:path';
import { isErrno } from '../core/errors.ts';
import { createFile, discard, makeDirs, rename, replaceFile } from './files.ts';
import { BUILDING_PREFIX, notificationsDir } from './layout.ts';
import { entriesOf, readText, unlessDamaged } from './read-file.ts';
import { encode, type LastCallRecord, type NotificationRecord, parse } from './records.ts';

/*
 * What is to be told to the user: for each thing a file `waiting/<time>-<random>`. Who tells it is a generation of
 * `senders/`, which takes a file by renaming it into its own directory: so each is told once, or lost with its sender.
 */

const waitingDir = (state: string): string => join(notificationsDir(state), 'waiting');

/** The directory of those who tell it. */
export const sendersDir = (state: string): string => join(notificationsDir(state), 'senders');

const namesIn = (state: string): readonly string[] =>
  entriesOf(waitingDir(state))
    .flatMap(({ name }) => (name.startsWith(BUILDING_PREFIX) ? [] : name))
    .sort();

/** Whether anything waits to be told. */
export const isAnyWaiting = (state: string): boolean => namesIn(state).length > 0;

/** Has something told. */
export function putNotification(state: string, record: NotificationRecord, unique: string): void {
  const directory = waitingDir(state);
  makeDirs(directory);
  const building = join(directory, `${BUILDING_PREFIX}${unique}`);
  createFile(building, encode(record));
  // Times of the same length sort as texts.
  rename(building, join(directory, `${record.at}-${unique}`));
}

/** Takes what waits, the oldest first, into the directory of a sender. */
export function takeNotifications(state: string, mine: string): readonly NotificationRecord[] {
  return namesIn(state).flatMap((name) => {
    const taken = join(mine, name);
    try {
      rename(join(waitingDir(state), name), taken);
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return [];
      throw error;
    }
    const text = unlessDamaged(() => readText(taken));
    discard(taken);
    return unlessDamaged(() => parse.notification(text ?? '')) ?? [];
  });
}

const lastCallFile = (state: string): string => join(notificationsDir(state), 'last-call.json');

/** How the user's program ended the last time, or null. @throws DamagedRecord */
export function readLastCall(state: string): LastCallRecord | null {
  const text = readText(lastCallFile(state));
  return text === null ? null : parse.lastCall(text);
}

/** Records that. */
export function putLastCall(state: string, record: LastCallRecord, unique: string): void {
  replaceFile(
    lastCallFile(state),
    encode(record),
    join(notificationsDir(state), `${BUILDING_PREFIX}${unique}`),
  );
}
