import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHistory } from '../../../src/store/agent-history.ts';
import { boundByPermissions } from '../../helpers/as-root.ts';
import { directoryWith } from '../../helpers/directory.ts';

/** A directory with these files, each holding its own name. */
const withFiles = (...names: readonly string[]): string =>
  directoryWith(Object.fromEntries(names.map((name) => [name, name])));

test.each<[string, string[], string[], string | null]>([
  ['the latest of several directories', ['1/a.x', '3/a.x', '2/a.x'], ['*/a.x'], '3/a.x'],
  ['the latest of several files', ['d/f-1-t', 'd/f-3-t', 'd/f-2-t'], ['*/f-*-t'], 'd/f-3-t'],
  ['an earlier one where the latest has none', ['1/a.x', '2/b.x'], ['*/a.x'], '1/a.x'],
  ['the first pattern that fits', ['1/a.x', '2/b.x'], ['3/a.x', '1/*.x', '2/*.x'], '1/a.x'],
  ['a name without a star as it stands', ['a.x', 'b.x'], ['a.x'], 'a.x'],
  ['a star that stands for nothing', ['f--t'], ['f-*-t'], 'f--t'],
  ['no name that is shorter than its ends', ['f-t'], ['f-*-t'], null],
  ['no other beginning', ['g-1-t', 'xf-1-t'], ['f-*-t'], null],
  ['no other end', ['f-1-u', 'f-1-tx'], ['f-*-t'], null],
  ['no directory of that name', ['f-1-t/file'], ['f-*-t'], null],
  ['nothing below a file', ['f'], ['f/*', '*/x'], null],
])('the file of a conversation is %s', (_, files, patterns, expected) => {
  const base = withFiles(...files);
  const found = expected === null ? null : { path: join(base, expected), bytes: expected.length };
  expect(findHistory(base, patterns)).toEqual(found);
});

test('nobody can tell where the directory is a file, or where links lead in a circle', () => {
  const base = directoryWith({ file: '', 'd/loop': '@loop', 'd/dangling': '@none' });
  expect(findHistory(join(base, 'file'), ['*'])).toBeUndefined();
  expect(findHistory(base, ['d/loop'])).toBeUndefined();
  expect(findHistory(base, ['d/dangling'])).toBeNull();
});

test('nobody can tell where a directory or what is in it is closed to us', () => {
  const base = withFiles('day/file');
  const closed = join(base, 'day');
  chmodSync(base, 0o755);
  chmodSync(closed, 0);
  boundByPermissions(() => {
    expect(findHistory(base, ['day/*'])).toBeUndefined();
    expect(findHistory(base, ['day/file'])).toBeUndefined();
    expect(findHistory(closed, ['*'])).toBeUndefined();
    expect(findHistory(join(closed, 'below'), ['*'])).toBeUndefined();
  });
  expect(findHistory(base, ['other'])).toBeNull();
  chmodSync(closed, 0o700);
  expect(findHistory(base, ['day/*'])).not.toBeNull();
});
