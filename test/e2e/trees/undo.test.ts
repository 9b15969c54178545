import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyDirectory } from '../../helpers/directory.ts';
import { byHand, createRepository, turnOf } from '../../helpers/files.ts';
import { GIT_ENVIRONMENT, git } from '../../helpers/git.ts';
import type { Project } from '../../helpers/project.ts';

const read = ({ directory }: Project, name: string): string => readFileSync(join(directory, name), 'utf8');

test('undo takes out what a turn changed, keeps what was edited since, and can go back', async () => {
  const project = createRepository();
  const id = await turnOf(
    project,
    'sed -i s/1/one/ a; echo new > new; rm sub/b; mkdir -p deep/er; echo d > deep/er/d',
  );
  byHand(project, 'echo later >> a; echo mine > mine; git add mine');
  const index = git(project.directory, 'ls-files', '-s');
  expect(await project.$(`undo ${id} --dry-run`)).toBe(
    'M\t1\t1\ta\t\nD\t0\t1\tdeep/er/d\t\nD\t0\t1\tnew\t\nA\t1\t0\tsub/b\t\n',
  );
  expect(read(project, 'new')).toBe('new\n');
  expect(await project.$(`undo ${id}`, { tty: true })).toContain(
    `turn 1 undone; to go back: zwarm undo ${id} --redo`,
  );
  expect(read(project, 'a')).toBe('1\n2\n3\n4\n5\n6\n7\n8\n9\nlater\n');
  expect(read(project, 'sub/b')).toBe('b\n');
  expect(['new', 'deep'].filter((name) => existsSync(join(project.directory, name)))).toEqual([]);
  expect(read(project, 'mine')).toBe('mine\n');
  expect(git(project.directory, 'ls-files', '-s')).toBe(index);
  expect(await project.$(`undo ${id}`, { tty: true })).toContain('nothing of turn 1 is left to be undone');
  expect(JSON.parse(await project.ok(['undo', id, '--redo', '--json']))).toMatchObject({
    id,
    turns: [1],
    redone: true,
    files: 4,
    added: 3,
    removed: 2,
    not_undone: [],
  });
  expect(read(project, 'a')).toBe('one\n2\n3\n4\n5\n6\n7\n8\n9\nlater\n');
  expect(read(project, 'deep/er/d')).toBe('d\n');
  expect(await project.$(`undo ${id} --redo`)).toContain('nothing of');
});

test('where a later edit is in the same place nothing moves, and the files are named', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'sed -i s/1/one/ a; echo other > sub/b; rm -f gone; echo new > new');
  byHand(project, 'sed -i s/one/eins/ a; echo mine >> new');
  const before = ['a', 'new', 'sub/b'].map((name) => read(project, name));
  expect(await project.$(`undo ${id}`)).toMatchInlineSnapshot(`
    "zwarm: nothing was moved: a, new changed since, in the same place as what would be undone
    hint: look at them, save what you need of them, put them back as they were, and try again
    [exit 4]
    "
  `);
  expect(['a', 'new', 'sub/b'].map((name) => read(project, name))).toEqual(before);
  expect(await project.$(`undo ${id} --redo`)).toContain('nothing of');
});

test('where a file would be in the place of a directory, or below another file, it is refused by name', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'rm a; rm -r sub; ln -s x link');
  byHand(project, 'mkdir a; echo in > a/in; echo file > sub; rm link; ln -s y link');
  expect(await project.$(`undo ${id}`)).toContain('nothing was moved: a, link, sub/b changed since');
  byHand(project, 'rm -r a link sub; ln -s x link');
  await project.ok(['undo', id]);
  expect([read(project, 'a').length, read(project, 'sub/b')]).toEqual([18, 'b\n']);
});

test('what git ignores is never written over, and what was not kept is told and stays', async () => {
  const project = createRepository();
  byHand(project, 'echo data > data; echo "data" > .git/info/exclude; git add -f data; git commit -qm data');
  const id = await turnOf(project, 'rm data; truncate -s 20000000 sub/b');
  byHand(project, 'git rm -q --cached data; echo precious > data');
  expect(await project.$(`undo ${id}`)).toContain('nothing was moved: data is there, which git ignores');
  expect(read(project, 'data')).toBe('precious\n');
  rmSync(join(project.directory, 'data'));
  expect(await project.$(`undo ${id}`)).toContain('not undone, as their content was not kept: sub/b');
  expect(read(project, 'data')).toBe('data\n');
  truncateSync(join(project.directory, 'sub/b'), 0);
});

test('no program runs that merges or filters files', async () => {
  const project = createRepository();
  const witness = join(project.base, 'ran');
  byHand(project, 'echo "* merge=evil filter=evil" > .gitattributes; git add .; git commit -qm attributes');
  const id = await turnOf(project, 'sed -i s/1/one/ a');
  const trap = `touch ${witness}`;
  byHand(
    project,
    `git config merge.evil.driver '${trap}; false'; git config filter.evil.smudge '${trap}; cat'; echo later >> a
    git config core.fsmonitor '${trap}'; for hook in post-checkout post-index-change; do printf '#!/bin/sh\n${trap}\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook; done`,
  );
  await project.ok(['undo', id]);
  expect(read(project, 'a')).toBe('1\n2\n3\n4\n5\n6\n7\n8\n9\nlater\n');
  expect(existsSync(witness)).toBe(false);
});

test('an earlier turn is undone below later ones; a running session, and one of which nothing is known, is not', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'sed -i s/1/one/ a');
  await turnOf(project, 'sed -i s/9/nine/ a', id);
  await project.ok(['undo', id, '--turn', '1']);
  expect(read(project, 'a')).toBe('1\n2\n3\n4\n5\n6\n7\n8\nnine\n');
  await project.ok(['inject', id, 'hang']);
  expect(await project.$(`undo ${id}`)).toContain('is still running');
  await project.ok(['kill', id]);
  rmSync(project.turnFile(id, 1, 'before.json'));
  expect(await project.$(`undo ${id} --turn 1`)).toContain('the files before it were not recorded');
});

test('rewind --files takes back the conversation and what its later turns changed, and nothing else', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'echo one > one');
  await turnOf(project, 'echo two > two; sed -i s/1/one/ a', id);
  byHand(project, 'echo mine > mine; sed -i s/5/five/ a');
  await turnOf(project, 'echo three > three; sed -i s/9/nine/ a', id);
  const refused = await project.zwarm(['rewind', id, '--to', '1', '--files'], { env: { PATH: '/nowhere' } });
  expect(refused.stderr).toContain('git was not found');
  expect((await project.show(id)).turns).toHaveLength(3);
  const said = await project.$(`rewind ${id} --to 1 --files`, { tty: true });
  expect(said).toContain(`rewound to turn 1, 3 files reverted (again: zwarm undo ${id} --redo)`);
  expect(
    readdirSync(project.directory)
      .filter((name) => !name.startsWith('.'))
      .sort(),
  ).toEqual(['a', 'mine', 'one', 'sub']);
  expect(read(project, 'a')).toBe('1\n2\n3\n4\nfive\n6\n7\n8\n9\n');
  expect((await project.show(id)).turns.map(({ kind }) => kind)).toEqual([
    'prompt',
    'prompt',
    'prompt',
    'rewind',
  ]);
  await project.ok(['undo', id, '--redo']);
  expect(read(project, 'a')).toBe('one\n2\n3\n4\nfive\n6\n7\n8\nnine\n');
});

type Files = Readonly<Record<string, string>>;

/** What a plain three-way merge of each file gives; null where one has a conflict. */
function threeWay(base: Files, ours: Files, theirs: Files): Files | null {
  const merged: Record<string, string> = {};
  const directory = emptyDirectory();
  for (const name of new Set([base, ours, theirs].flatMap(Object.keys))) {
    const [was, now, other] = [base[name], ours[name], theirs[name]];
    let result = now;
    if (now === was) result = other;
    else if (other !== was && other !== now) {
      if (was === undefined || now === undefined || other === undefined) return null;
      const paths = [now, was, other].map((text, i) => {
        writeFileSync(join(directory, `${i}`), text);
        return join(directory, `${i}`);
      });
      const { status, stdout } = spawnSync('git', ['merge-file', '-p', ...paths], { env: GIT_ENVIRONMENT });
      if (status !== 0) return null;
      result = stdout.toString();
    }
    if (result !== undefined) merged[name] = result;
  }
  return merged;
}

const NAMES = ['one', 'two words', 'drei\n', 'ü'];
const LINES = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { minLength: 0, maxLength: 12 });
const text = LINES.map((lines) => lines.map((line) => `${line}\n`).join(''));
/** Edits of some files: a new text, or null for one that is removed. */
const edits = fc.dictionary(fc.constantFrom(...NAMES), fc.option(text), {
  maxKeys: 3,
  noNullPrototype: true,
});
const edit = (files: Files, edits: Readonly<Record<string, string | null>>): Files =>
  Object.fromEntries(
    Object.entries({ ...files, ...edits }).filter((entry): entry is [string, string] => entry[1] !== null),
  );

test('undo gives what a plain three-way merge gives, or refuses where that has a conflict', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'git rm -rqf .; git commit -qm empty; quick');
  const { directory } = project;
  const put = (files: Files): void => {
    for (const name of NAMES) rmSync(join(directory, name), { force: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  };
  const all = (): Files =>
    Object.fromEntries(
      NAMES.filter((name) => existsSync(join(directory, name))).map((name) => [name, read(project, name)]),
    );
  const counts = { moved: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(edits, edits, edits, async (first, second, third) => {
      const before = edit({}, first);
      const after = edit(before, second);
      const now = edit(after, third);
      put(before);
      const copy = emptyDirectory();
      for (const [name, text] of Object.entries(after)) writeFileSync(join(copy, name), text);
      const names = NAMES.map((name) => `'${name.replace('\n', '$n')}'`)
        .join(' ')
        .replaceAll('$n', '\n');
      writeFileSync(join(copy, '.script'), `rm -f -- ${names}\ncp -- ${copy}/* . 2> ${copy}/.said || :\n`);
      await turnOf(project, `. ${copy}/.script`, id);
      expect(all()).toEqual(after);
      put(now);
      const expected = threeWay(after, now, before);
      const { code } = await project.zwarm(['undo', id]);
      counts[expected === null ? 'refused' : 'moved'] += 1;
      expect({ code, files: all() }).toEqual(
        expected === null ? { code: 4, files: now } : { code: 0, files: expected },
      );
    }),
    {
      numRuns: 25,
      examples: [
        // What was removed by hand has the content of what was made: nothing was renamed.
        [{}, { ü: 'f\n' }, { ü: null, one: 'f\n' }],
        [{ one: 'a\nb\nc\nd\ne\nf\n' }, { one: 'A\nb\nc\nd\ne\nf\n' }, { one: 'A\nb\nc\nd\ne\nF\n' }],
      ],
    },
  );
  expect(counts.moved).toBeGreaterThan(0);
  expect(counts.refused).toBeGreaterThan(0);
  execFileSync('git', ['fsck', '--no-dangling'], { cwd: directory, env: GIT_ENVIRONMENT, stdio: 'pipe' });
});
