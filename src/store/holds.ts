import { dirname } from 'node:path';
import { digest } from '../core/digest.ts';
import { discard, flush, makeDirs, replaceFile } from './files.ts';
import { BUILDING_PREFIX, holdFile } from './layout.ts';
import { readText, unlessDamaged } from './read-file.ts';
import { encode, type HoldRecord, parse } from './records.ts';

/** An account of an agent: its name, and where it keeps what is of that account. */
export type Account = Pick<HoldRecord, 'agent' | 'account'>;

const pathOf = (state: string, { agent, account }: Account): string =>
  holdFile(state, `${agent}-${digest(account).slice(0, 16)}`);

/** What holds the queue of an account, or null; also what cannot be read. */
export function readHold(state: string, account: Account): HoldRecord | null {
  const text = unlessDamaged(() => readText(pathOf(state, account)));
  return text === null ? null : unlessDamaged(() => parse.hold(text));
}

/** Holds the queue of an account. */
export function putHold(state: string, hold: HoldRecord, unique: string): void {
  const path = pathOf(state, hold);
  makeDirs(dirname(path));
  replaceFile(path, encode(hold), `${dirname(path)}/${BUILDING_PREFIX}${unique}`);
  flush(dirname(path));
}

/** Opens it again. */
export function openHold(state: string, account: Account): void {
  discard(pathOf(state, account));
}
