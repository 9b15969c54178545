import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ZwarmError } from '../../../../src/core/errors.ts';
import { installation } from '../../../../src/installation.ts';
import { orDamaged } from '../../../../src/manager/session/damage.ts';
import { publishCancel } from '../../../../src/manager/stop/request-cancel.ts';
import { createStoredSession, ID } from '../../../helpers/store.ts';

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
