import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../../src/core/ids.ts';
import { locateSession } from '../../../../src/manager/access/locate-session.ts';
import type { ManagerContext, Store } from '../../../../src/manager/context.ts';
import { refusePosing } from '../../../../src/manager/launch/free-name.ts';
import { moveName } from '../../../../src/store/names.ts';
import { testInstallation } from '../../../helpers/context.ts';
import { emptyDirectory } from '../../../helpers/directory.ts';
import { addSession, createEmptyStore, storeOf } from '../../../helpers/store.ts';

const [FIRST, SECOND, THIRD, FOREIGN, TWIN] = [
  'abcdefghjk',
  'abcdzzzzzz',
  'mnpqrstuvw',
  'wxyzabcdef',
  'wxyzabcdeg',
] as SessionId[] as [SessionId, SessionId, SessionId, SessionId, SessionId];

/** The sessions of a project, and what a reference means in its directory: an id, or how it is refused. */
function createPlace(ids: readonly SessionId[] = [FIRST, SECOND, THIRD]) {
  const store = createEmptyStore();
  for (const id of ids) addSession(store, id);
  const uid = process.getuid?.() ?? 0;
  const base: ManagerContext = {
    ...testInstallation(),
    cwd: store.projectRoot,
    env: { HOME: dirname(store.state) },
    uid,
    stateDir: store.state,
  };
  const find = async (ref: string, ending?: boolean, more: Partial<ManagerContext> = {}): Promise<string> => {
    try {
      return (await locateSession({ ...base, ...more }, ref, ending === undefined ? {} : { ending })).id;
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      return `${code}: ${message}`;
    }
  };
  const give = (id: SessionId, name: string): void => moveName({ store, id }, name, 'test');
  return { store, find, give, base };
}

/** Another project in the same state directory. */
function another({ state }: Store): Store {
  const store = storeOf(state, emptyDirectory());
  for (const id of [FOREIGN, TWIN]) addSession(store, id);
  return store;
}

test('an id comes before a name, a name before the beginning of an id', async () => {
  const { store, find, give } = createPlace();
  give(THIRD, FIRST);
  expect(await find(FIRST)).toBe(FIRST);
  // It is no id of a session here, though it could be one.
  give(THIRD, FOREIGN);
  expect(await find(FOREIGN)).toBe(THIRD);
  expect(await find('mnp')).toBe(THIRD);
  give(SECOND, 'mnp');
  expect(await find('mnp')).toBe(SECOND);
  give(SECOND, 'ab');
  expect(await find('ab', true)).toBe(SECOND);
  // A name that a removed session has left does not hide what begins so.
  rmSync(join(store.root, 'sessions', SECOND), { recursive: true });
  expect(await find('mnp')).toBe(THIRD);
  rmSync(join(store.root, 'names'), { recursive: true });
  expect(await find(FOREIGN)).toBe(`not_found: no session ${FOREIGN}`);
});

test('what is the name of one and the beginning of another is neither, for ending it', async () => {
  const { find, give } = createPlace();
  give(FIRST, 'mnpq');
  expect(await find('mnpq')).toBe(FIRST);
  // Three characters of an id are too few for that.
  give(SECOND, 'mnp');
  expect(await find('mnp', true)).toBe(SECOND);
  expect(await find('mnpq', true)).toBe(
    `ambiguous: mnpq is the name of ${FIRST} and the beginning of ${THIRD}`,
  );
  expect(await find(FIRST, true)).toBe(FIRST);
  give(THIRD, 'mnpq');
  expect(await find('mnpq', true)).toBe(THIRD);
});

test('no other caller than the user takes a name that is the beginning of an id here', () => {
  const { store, base } = createPlace();
  const refused = (name: string, more: Partial<ManagerContext>): string | null => {
    try {
      refusePosing({ ...base, ...more }, store, name);
      return null;
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      return `${code}: ${message}`;
    }
  };
  const agent = { env: { HOME: dirname(store.state), ZWARM_SESSION_ID: FIRST } };
  for (const name of ['mnp', 'mnpqrst'])
    for (const more of [{ client: 'x' }, agent])
      expect(refused(name, more)).toBe(`not_allowed: the name ${name} is the beginning of an id`);
  expect(refused('mnp', {})).toBeNull();
  for (const name of ['mn', 'mnx', 'wxyzabc', 'mnpqrstuvwx'])
    expect(refused(name, { client: 'x' })).toBeNull();
  // Six characters name one of another project, too.
  another(store);
  expect(refused('wxyza', { client: 'x' })).toBeNull();
  expect(refused('wxyzabc', { client: 'x' })).toBe('not_allowed: the name wxyzabc is the beginning of an id');
});

test('a name means the session that has it now', async () => {
  const { find, give } = createPlace();
  for (const id of [FIRST, SECOND, FIRST]) {
    give(id, 'docs');
    expect(await find('docs')).toBe(id);
  }
});

test.each([
  ['mn', undefined, 'not_found: mn is too short'],
  ['mnp', undefined, THIRD],
  ['mnp', true, 'not_found: mnp is too short'],
  ['mnpq', true, THIRD],
  ['abcd', undefined, 'ambiguous: abcd is the beginning of 2 ids'],
  ['abcd', true, 'ambiguous: abcd is the beginning of 2 ids'],
  ['abcde', true, FIRST],
  ['mnpx', undefined, 'not_found: no session mnpx'],
  [`${THIRD}x`, undefined, `not_found: no session ${THIRD}x`],
])('the beginning %s of an id (for ending it: %s) means: %s', async (text, ending, found) => {
  expect(await createPlace().find(text, ending)).toBe(found);
});

test('a session of another project is found by the user, by six characters of its id, never by its name', async () => {
  const { store, find } = createPlace();
  const other = another(store);
  moveName({ store: other, id: FOREIGN }, 'foreign', 'test');
  expect(await find(FOREIGN)).toBe(FOREIGN);
  expect(await find('wxyza')).toBe('not_found: no session wxyza');
  expect(await find('wxyzab')).toBe('ambiguous: wxyzab is the beginning of 2 ids');
  rmSync(join(other.root, 'sessions', TWIN), { recursive: true });
  expect(await find('wxyzab')).toBe(FOREIGN);
  expect(await find('wxyzab', true)).toBe(FOREIGN);
  expect(await find('foreign')).toBe('not_found: no session foreign');
  for (const ref of [FOREIGN, 'wxyzab'])
    for (const more of [{ client: 'x' }, { env: { HOME: dirname(store.state), ZWARM_SESSION_ID: FIRST } }])
      expect(await find(ref, undefined, more)).toBe(`not_found: no session ${ref}`);
  // What is here comes first.
  addSession(store, FOREIGN.replace('f', 'h') as SessionId);
  expect(await find('wxyzab')).toBe('wxyzabcdeh');
});

test('@last is the session here with the last activity, @last~N the one so many before', async () => {
  const { store, find } = createPlace();
  another(store);
  // What files say of themselves, a copy or a restored backup changes.
  const asked = (id: SessionId, at: string) => {
    const path = join(store.root, 'sessions', id, 'turns/1/request.json');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), at }));
    utimesSync(join(store.root, 'sessions', id, 'session.json'), 9000, id === FIRST ? 1000 : 9000);
  };
  asked(FIRST, '2026-11-20T13:00:00.000Z');
  asked(THIRD, '2026-11-20T12:00:00.000Z');
  asked(SECOND, '2026-11-20T12:00:00.000Z');
  const places = ['@last', '@last~0', '@last~1', '@last~2', '@last~3'];
  const none = 'not_found: this project has 3 sessions';
  // Of the same moment the order is that of the ids.
  expect(await Promise.all(places.map((ref) => find(ref)))).toEqual([FIRST, FIRST, SECOND, THIRD, none]);
  rmSync(join(store.root, 'sessions', FIRST, 'session.json'));
  expect(await Promise.all(places.map((ref) => find(ref)))).toEqual([SECOND, SECOND, THIRD, FIRST, none]);
  expect(await find('@last', undefined, { cwd: emptyDirectory() })).toBe(
    'not_found: this project has no sessions',
  );
});
