import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownCheckoutAt } from '../../../src/store/git.ts';
import { seedIndex } from '../../../src/store/snapshots.ts';
import { directoryWith, emptyDirectory } from '../../helpers/directory.ts';
import { git } from '../../helpers/git.ts';

/** How the index of a checkout with these files is taken for a snapshot. */
function stateOf(root: string): string {
  git(root, 'add', '-A');
  return seedIndex(emptyDirectory(), ownCheckoutAt(root), 'x').state;
}

test.for([2, 4])('an index of version %i has to be made plain for a submodule', (version) => {
  const root = directoryWith({ a: 'a' });
  git(root, 'init', '-q');
  git(root, 'config', 'index.version', String(version));
  expect(stateOf(root)).toBe('plain');
  mkdirSync(join(root, 'module'));
  git(join(root, 'module'), 'init', '-q');
  git(join(root, 'module'), 'commit', '-q', '--allow-empty', '-m', 'm');
  expect(stateOf(root)).toBe('odd');
});

test('and not for a file whose size has the bytes of a submodule’s mode', () => {
  const root = directoryWith({ a: 'a'.repeat(0xe000) });
  git(root, 'init', '-q');
  expect(stateOf(root)).toBe('plain');
});
