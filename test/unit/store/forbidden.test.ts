import { chmodSync, chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toZwarmError } from '../../../src/core/errors.ts';
import { removeLeftovers } from '../../../src/store/leftovers.ts';
import { DamagedRecord } from '../../../src/store/read-file.ts';
import { removeSession } from '../../../src/store/remove.ts';
import {
  listSessionIds,
  listTurns,
  readExit,
  readRequest,
  readSessionRecord,
} from '../../../src/store/sessions.ts';
import { createSummaryReader, writeSummary } from '../../../src/store/summary.ts';
import { createStoredSummary, ID } from '../../helpers/store.ts';

const NOBODY = 65_534;

/** Does something as a user whom the permissions of files concern; root may read everything. */
function asUser<T>(act: () => T): T {
  if (process.getuid?.() !== 0) return act();
  process.seteuid?.(NOBODY);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
}

function giveAway(path: string): void {
  if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY);
}

/** A stored session of a user without privileges, in which one path was closed with `chmod 000`. */
function closed(...parts: readonly string[]): string {
  const { root, summary } = createStoredSummary();
  writeSummary(root, ID, 1, summary, 'x');
  const base = join(root, '..');
  for (const path of readdirSync(base, { recursive: true, encoding: 'utf8' })) giveAway(join(base, path));
  giveAway(base);
  chmodSync(join(root, ...parts), 0);
  return root;
}

const session = (root: string): object => {
  readSessionRecord(root, ID);
  return listTurns(root, ID).map((turn) => [readRequest(root, ID, turn), readExit(root, ID, turn)]);
};

test.each([
  ['session', ['sessions', ID]],
  ['session.json', ['sessions', ID, 'session.json']],
  ['turns', ['sessions', ID, 'turns']],
  ['turn', ['sessions', ID, 'turns', '1']],
  ['request.json', ['sessions', ID, 'turns', '1', 'request.json']],
])('an agent that closes a %s damages that session alone, and takes no list down', (_, parts) => {
  const root = closed(...parts);
  expect(asUser(() => listSessionIds(root))).toEqual([ID]);
  expect(() => asUser(() => session(root))).toThrow(DamagedRecord);
  // What is inside a turn is none of a list's business.
  expect(asUser(() => createSummaryReader(root, 1)(ID)) === null).toBe(parts.length < 4);
  chmodSync(join(root, ...parts), 0o700);
  expect(asUser(() => session(root))).toHaveLength(1);
});

test('a closed state directory is an error that says what to do', () => {
  const root = closed('sessions');
  try {
    asUser(() => listSessionIds(root));
  } catch (error) {
    expect(toZwarmError(error)).toMatchObject({ code: 'io', hint: expect.stringContaining('permissions') });
  }
  expect.assertions(1);
});

test('a closed directory in a session is left in the trash, and keeps nobody from cleaning', () => {
  const root = closed('sessions', ID, 'turns', '1');
  const seals = join(root, '..', 'seals');
  const path = join(root, 'trash', `${ID}.x`);
  const clean = () => asUser(() => removeLeftovers(root, seals, Date.now() + 7_200_000));
  expect(() => asUser(() => removeSession(root, seals, ID, 'x'))).toThrow(/EACCES/);
  expect(listSessionIds(root)).toEqual([]);
  expect(clean()).toEqual([{ kind: 'trash', path }]);
  expect(readdirSync(join(root, 'trash'))).toEqual([`${ID}.x`]);
  chmodSync(join(path, 'turns', '1'), 0o700);
  expect(clean()).toEqual([]);
  expect(readdirSync(join(root, 'trash'))).toEqual([]);
});
