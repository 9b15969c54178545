import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { installation } from '../../../../src/installation.ts';
import { markSeen } from '../../../../src/manager/access/mark-seen.ts';
import { recordEnd } from '../../../../src/manager/stop/record-exit.ts';
import { claimTurn } from '../../../../src/store/claim.ts';
import { marksDir, readMarks } from '../../../../src/store/seen.ts';
import { createStoredSession, ID, MAKER, requestOf } from '../../../helpers/store.ts';

function createSeen(env: Readonly<Record<string, string>> = {}) {
  const store = createStoredSession();
  const context = { ...installation(), ...MAKER, env, stateDir: null };
  const directory = marksDir(store.state, 'user', store.id);
  return {
    store,
    directory,
    session: join(store.root, 'sessions', ID),
    mark: (turn = 1) => markSeen(context, { store, id: ID, turn }),
    marked: () => Object.fromEntries(readMarks(directory) ?? []),
    end: () => recordEnd({ store, id: ID, turn: 1 }, { why: null, detail: null, cancelled: true }),
  };
}

test('an end counts as seen once there is one', async () => {
  const { mark, marked, end } = createSeen();
  await mark();
  expect(marked()).toEqual({});
  end();
  await mark();
  expect(marked()).toEqual({ [ID]: 1 });
});

test('a marker among the turns, a damaged turn and a session that is gone are not seen', async () => {
  const { store, session, mark, marked, end } = createSeen();
  end();
  claimTurn(
    { store, id: ID, turn: 2 },
    { request: { ...requestOf('two'), kind: 'rewind', to: 0 }, prompt: null },
  );
  await mark(2);
  expect(marked()).toEqual({});
  writeFileSync(join(session, 'turns/1/request.json'), '{');
  await mark();
  rmSync(session, { recursive: true });
  await mark();
  expect(marked()).toEqual({});
});

test('what cannot be marked is an error, but in the sandbox of an agent, where zwarm only reads', async () => {
  for (const [env, refused] of [
    [{}, true],
    [{ ZWARM_SESSION_ID: '' }, true],
    [{ ZWARM_SESSION_ID: 'abcdefghjr' }, false],
  ] as const) {
    const { directory, mark, end } = createSeen(env);
    end();
    // A file stands where the marks of all were to be.
    writeFileSync(dirname(dirname(directory)), '');
    const marking = mark();
    if (refused) await expect(marking).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
    else await marking;
  }
});
