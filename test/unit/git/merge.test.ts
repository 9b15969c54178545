import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pathOfText } from '../../../src/core/raw-path.ts';
import { findGit, gitIn } from '../../../src/git/git.ts';
import { mergeTrees } from '../../../src/git/merge.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { git as plain } from '../../helpers/git.ts';

const env = { PATH: process.env['PATH'] ?? '' };

type Files = Readonly<Record<string, string>>;

function repository() {
  const workTree = emptyDirectory();
  plain(workTree, 'init', '-q');
  const tree = (files: Files): string => {
    for (const name of plain(workTree, 'ls-files', '-z').split('\0').filter(Boolean))
      rmSync(join(workTree, name), { force: true });
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(workTree, name)), { recursive: true });
      writeFileSync(join(workTree, name), text);
    }
    plain(workTree, 'add', '-A');
    return plain(workTree, 'write-tree');
  };
  return { git: gitIn({ workTree, gitDir: join(workTree, '.git') }, findGit(env, []), env), tree };
}

const lines = (...changed: readonly (readonly [number, string])[]): string => {
  const all = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  for (const [i, text] of changed) all[i] = text;
  return `${all.join('\n')}\n`;
};

/* Each row: what was there, what each side made of it, and what comes of both; or the paths in conflict. */
const ROWS: readonly (readonly [string, Files, Files, Files, Files | readonly string[]])[] = [
  ['each changes a file', { a: '1', b: '1' }, { a: '2', b: '1' }, { a: '1', b: '2' }, { a: '2', b: '2' }],
  [
    'each changes lines of one file',
    { a: lines() },
    { a: lines([2, 'ours']) },
    { a: lines([15, 'theirs']) },
    { a: lines([2, 'ours'], [15, 'theirs']) },
  ],
  ['both make the same change', { a: '1' }, { a: '2' }, { a: '2' }, { a: '2' }],
  ['one removes, the other leaves it', { a: '1', b: '1' }, { b: '1' }, { a: '1', b: '2' }, { b: '2' }],
  ['both change the same line', { 'ü\n': '1' }, { 'ü\n': '2' }, { 'ü\n': '3' }, ['ü\n']],
  ['one removes what the other changes', { a: '1', b: '1' }, { b: '1' }, { a: '2', b: '1' }, ['a']],
  ['both make a file of one name', { b: '1' }, { b: '1', a: '2' }, { b: '1', a: '3' }, ['a']],
  ['no file was there', {}, { a: '1' }, { b: '1' }, { a: '1', b: '1' }],
];

test.each(ROWS)('%s', async (_, base, ours, theirs, result) => {
  const { git, tree } = repository();
  const merged = await mergeTrees(git, tree(base), tree(ours), tree(theirs));
  expect(merged).toMatchObject(
    Array.isArray(result)
      ? { conflicts: result.map(pathOfText) }
      : { conflicts: [], tree: tree(result as Files) },
  );
});
