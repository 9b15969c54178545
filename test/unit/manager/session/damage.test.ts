import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ZwarmError } from '../../../../src/core/errors.ts';
import { installation } from '../../../../src/installation.ts';
import { readStateFromRecords } from '../../../../src/manager/session/current-turn.ts';
import { orDamaged, unlessGone, walkOrDamaged } from '../../../../src/manager/session/damage.ts';
import { computeRow } from '../../../../src/manager/session/session-summary.ts';
import { publishCancel } from '../../../../src/manager/stop/request-cancel.ts';
import { claimTurn } from '../../../../src/store/claim.ts';
import { DamagedRecord } from '../../../../src/store/read-file.ts';
import { createStoredSession, ID, requestOf } from '../../../helpers/store.ts';

/** A session, and a `clean` that removes it at this very moment. */
function createDoomed() {
  const store = createStoredSession();
  const [session = '', trash = ''] = ['sessions', 'trash'].map((place) => join(store.root, place, ID));
  return { store, remove: () => renameSync(session, trash) };
}

test('a session that is removed while it is read is gone, whatever was found of it', async () => {
  const missed = new ZwarmError('not_resumable', 'a conversation without its name');
  for (const read of [async () => 'a status without its events', () => Promise.reject(missed)]) {
    const { store, remove } = createDoomed();
    const reading = orDamaged({ store, id: ID }, () => {
      remove();
      return read();
    });
    await expect(reading).rejects.toMatchObject({ code: 'not_found' });
  }
});

test('a turn of a session that was removed is not found, and not damaged', () => {
  const { store, remove } = createDoomed();
  const context = { ...installation(), cwd: '/', env: {}, uid: process.getuid?.() ?? 0, stateDir: null };
  remove();
  expect(() => publishCancel(context, { store, id: ID, turn: 1 }, 'never-launched')).toThrowError(
    expect.objectContaining({ code: 'not_found' }),
  );
});

test('a session without a turn, or of markers alone, is damaged', async () => {
  const { store } = createDoomed();
  const damaged = async (now: Promise<unknown>) =>
    await expect(now).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('it has no turns'),
    });
  const session = { store, id: ID };
  const turns = join(store.root, 'sessions', ID, 'turns');
  rmSync(join(turns, '1'), { recursive: true });
  await damaged(readStateFromRecords(session, 0));
  expect(await computeRow(session, 0)).toMatchObject({ status: 'damaged' });
  const marker = { ...requestOf('marker'), kind: 'rewind', to: 0 } as const;
  claimTurn({ ...session, turn: 1 }, { request: marker, prompt: null });
  await damaged(readStateFromRecords(session, 0));
  expect(await computeRow(session, 0)).toMatchObject({ status: 'damaged' });
});

test('what is gone or damaged is left out of many, and any other error is none of these', async () => {
  for (const code of ['not_found', 'damaged'] as const)
    expect(await unlessGone(Promise.reject(new ZwarmError(code, 'x', null)))).toBeNull();
  for (const error of [new ZwarmError('io', 'x', null), new Error('x')])
    await expect(unlessGone(Promise.reject(error))).rejects.toBe(error);
});

test('a session that is removed while its parts are walked is gone, and a damaged part is damage', () => {
  const { store, remove } = createDoomed();
  const session = { store, id: ID };
  function* parts(last: () => void): Generator<number> {
    yield 1;
    last();
  }
  const walked = (last: () => void) => () => [...walkOrDamaged(session, parts(last))];
  const fail = (error: Error) => () => {
    throw error;
  };
  expect(walked(() => undefined)()).toEqual([1]);
  expect(walked(fail(new DamagedRecord('cut')))).toThrow(
    expect.objectContaining({
      code: 'damaged',
      hint: `look at its files: ls -R ${join(store.root, 'sessions', ID)}`,
    }),
  );
  const other = new Error('other');
  expect(walked(fail(other))).toThrow(other);
  expect(walked(remove)).toThrow(expect.objectContaining({ code: 'not_found' }));
  expect(walked(fail(other))).toThrow(expect.objectContaining({ code: 'not_found' }));
});
