import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { byHand, createRepository, filesIn, snapshotOf, snapshotsOf, turnOf } from '../../helpers/files.ts';
import { git } from '../../helpers/git.ts';
import { createShellProject } from '../../helpers/project.ts';

const NINE = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';

test('the files before and after a turn are recorded, and the user’s repository gets a pin and nothing else', async () => {
  const project = createRepository();
  const { directory } = project;
  byHand(project, 'echo staged > staged; git add staged; echo mine >> a; echo new > new');
  const look = () => [
    git(directory, 'status', '--porcelain'),
    readFileSync(join(directory, '.git', 'index')).toString('hex'),
    git(directory, 'count-objects'),
    git(directory, 'for-each-ref').replace(/.*refs\/zwarm\/.*/, ''),
  ];
  const before = look();
  const id = await turnOf(project, 'quick');
  expect(look().map((text) => text.trim())).toEqual(before);
  expect(git(directory, 'rev-parse', `refs/zwarm/${id}`)).toBe(git(directory, 'rev-parse', 'HEAD'));
  await turnOf(project, 'echo more >> a; rm sub/b; mv new newer; printf "1\\n2\\n" > two', id);
  const [from, to] = [snapshotOf(project, id, 2, 'before'), snapshotOf(project, id, 2, 'after')];
  const unchanged = { staged: 'staged\n' };
  expect(filesIn(project, id, from?.tree)).toEqual({
    ...unchanged,
    a: `${NINE}mine\n`,
    'new': 'new\n',
    'sub/b': 'b\n',
  });
  expect(filesIn(project, id, to?.tree)).toEqual({
    ...unchanged,
    a: `${NINE}mine\nmore\n`,
    newer: 'new\n',
    two: '1\n2\n',
  });
  expect(to?.changed).toEqual({ files: 4, added: 3, removed: 1 });
  expect(snapshotOf(project, id, 1, 'after')?.changed).toEqual({ files: 0, added: 0, removed: 0 });
});

test('the pin goes with its session', async () => {
  const project = createRepository();
  const [one, other] = [await turnOf(project, 'quick'), await turnOf(project, 'quick')];
  const pins = () => git(project.directory, 'for-each-ref', '--format=%(refname)', 'refs/zwarm').split('\n');
  expect(pins()).toEqual([one, other].sort().map((id) => `refs/zwarm/${id}`));
  git(project.directory, 'pack-refs', '--all');
  await project.ok(['rm', one]);
  expect(pins()).toEqual([`refs/zwarm/${other}`]);
});

test('a snapshot stays readable whatever is cleaned up in the user’s repository', async () => {
  const project = createRepository();
  byHand(project, 'echo staged > staged; git add staged; git commit -qam other; git reset -q --soft HEAD~');
  const id = await turnOf(project, 'git checkout -q -b aside; git add .; echo deep > sub/deep; quick');
  // Its objects are in the user's repository alone: the files that a commit brings, and their trees.
  byHand(
    project,
    'git add .; git commit -qm "by another"; echo pulled > sub/pulled; git add .; git commit -qm pulled',
  );
  await turnOf(project, 'echo x > x', id);
  const read = () => {
    return ([1, 2] as const).flatMap((turn) =>
      (['before', 'after'] as const).map((when) =>
        filesIn(project, id, snapshotOf(project, id, turn, when)?.tree),
      ),
    );
  };
  const before = read();
  expect(before[3]).toMatchObject({ staged: 'staged\n', 'sub/pulled': 'pulled\n', x: 'x\n' });
  byHand(
    project,
    'git checkout -q --orphan none; git rm -rqf .; git commit -q --allow-empty -m none; git branch -D main aside; git reflog expire --expire=now --all; git gc -q --prune=now',
  );
  expect(read()).toEqual(before);
});

test('no program runs that an agent has planted, and nothing hangs', async () => {
  const project = createRepository();
  const { directory } = project;
  const witness = join(project.base, 'ran');
  const trap = `touch ${witness}`;
  const submodule = join(project.base, 'module');
  mkdirSync(submodule);
  byHand({ directory: submodule }, 'git init -q; echo m > m; git add .; git commit -qm m');
  byHand(
    project,
    `git -c protocol.file.allow=always submodule --quiet add ${submodule} module; git commit -qm module`,
  );
  byHand(
    project,
    `git init -q nested; git -C nested config core.fsmonitor '${trap}'; echo n > nested/n
    git init -q deep/er; echo d > deep/er/d; git -C deep/er add .; git -C deep/er commit -qm d; git -C deep/er config core.fsmonitor '${trap}'
    git config filter.evil.clean '${trap}; cat'; echo '* filter=evil' > .gitattributes
    git init -q planted; git -C planted config filter.evil.clean '${trap}; cat'; git -C planted config core.fsmonitor '${trap}'
    echo "gitdir: $PWD/planted/.git" > module/.git; echo '* filter=evil' > module/.gitattributes; echo changed > module/m
    mkfifo fifo; echo x > sub/.GIT; ln -s /etc outside`,
  );
  writeFileSync(Buffer.from(`${directory}/new\nline`), 'n');
  writeFileSync(Buffer.concat([Buffer.from(`${directory}/caf`), Buffer.from([0xe9])]), 'c');
  writeFileSync(join(directory, 'huge'), '');
  truncateSync(join(directory, 'huge'), 5e9);
  const id = await turnOf(project, 'echo more >> nested/n; echo more > module/more; rm a; mkfifo a');
  const [from, to] = [snapshotOf(project, id, 1, 'before'), snapshotOf(project, id, 1, 'after')];
  const { a: _, ...files } = filesIn(project, id, from?.tree);
  expect(files).toEqual({
    '.gitattributes': '* filter=evil\n',
    '.gitmodules': expect.any(String),
    'caf\xe9': 'c',
    'deep/er/d': 'd\n',
    'module/.gitattributes': '* filter=evil\n',
    'module/m': 'changed\n',
    'nested/n': 'n\n',
    'new\nline': 'n',
    outside: '/etc',
    'sub/b': 'b\n',
  });
  expect(from?.left_out.map(({ path, why, bytes }) => [path, why, bytes])).toEqual([
    ['huge', 'large', 5e9],
    ['sub/.GIT', 'name', 2],
  ]);
  expect(filesIn(project, id, to?.tree)).toEqual({
    ...files,
    'nested/n': 'n\nmore\n',
    'module/more': 'more\n',
  });
  expect(existsSync(witness)).toBe(false);
});

test('outside of git the files of the directory are recorded likewise', async () => {
  const project = createShellProject();
  writeFileSync(join(project.directory, 'there'), 'there\n');
  writeFileSync(join(project.directory, '.gitignore'), 'ignored\n!.zwarm\n');
  const id = await turnOf(project, 'echo x > x; echo y > ignored');
  expect(filesIn(project, id, snapshotOf(project, id, 1, 'after')?.tree)).toEqual({
    '.gitignore': 'ignored\n!.zwarm\n',
    there: 'there\n',
    x: 'x\n',
  });
});

test('of too many files that git does not know the largest directory is left out, by name', async () => {
  const project = createRepository();
  byHand(project, 'mkdir many few; cd many; seq 1 20100 | xargs touch; echo x > ../few/x');
  const id = await turnOf(project, 'echo y > few/y');
  const after = snapshotOf(project, id, 1, 'after');
  expect(after?.left_out).toEqual([{ path: 'many/', why: 'many', bytes: null, mtime_ms: null }]);
  expect(Object.keys(filesIn(project, id, after?.tree))).toEqual(['a', 'few/x', 'few/y', 'sub/b']);
});

test('files outside of a sparse checkout are not taken for deleted, and those written there are seen', async () => {
  const project = createRepository();
  byHand(project, 'mkdir in; echo i > in/i; git add .; git commit -qm in; git sparse-checkout set in');
  const id = await turnOf(project, 'mkdir sub; echo changed > sub/b; echo more >> in/i');
  expect(filesIn(project, id, snapshotOf(project, id, 1, 'before')?.tree)).toMatchObject({ 'sub/b': 'b\n' });
  expect(filesIn(project, id, snapshotOf(project, id, 1, 'after')?.tree)).toEqual({
    a: NINE,
    'in/i': 'i\nmore\n',
    'sub/b': 'changed\n',
  });
});

test('in the midst of a merge, with a split index and in a linked worktree it is the files that count', async () => {
  const project = createRepository();
  byHand(
    project,
    'git checkout -q -b other; echo other > sub/b; git commit -qam other; git checkout -q main; echo main > sub/b; git commit -qam main; git merge -q other || true',
  );
  const id = await turnOf(project, 'echo solved > sub/b');
  const conflict = '<<<<<<< HEAD\nmain\n=======\nother\n>>>>>>> other\n';
  expect(filesIn(project, id, snapshotOf(project, id, 1, 'before')?.tree)).toEqual({
    a: NINE,
    'sub/b': conflict,
  });
  expect(filesIn(project, id, snapshotOf(project, id, 1, 'after')?.tree)).toEqual({
    a: NINE,
    'sub/b': 'solved\n',
  });
  byHand(
    project,
    'git add .; git commit -qm merged; git update-index --split-index; git worktree add -q ../linked',
  );
  const split = await turnOf(project, 'echo split > sub/b');
  expect(snapshotOf(project, split, 1, 'after')?.changed).toEqual({ files: 1, added: 1, removed: 1 });
  const linked = JSON.parse(
    await project.ok(['start', '--wait', '--json', 'run echo linked > sub/b'], {
      cwd: join(project.base, 'linked'),
    }),
  ).id;
  await project.settled(linked);
  expect(filesIn(project, linked, snapshotOf(project, linked, 1, 'after')?.tree)).toEqual({
    a: NINE,
    'sub/b': 'linked\n',
  });
});

test('where no snapshot can be made the turn runs all the same, and the reason is recorded', async () => {
  const project = createRepository();
  const programs = join(project.base, 'programs');
  mkdirSync(programs);
  for (const name of ['sh', 'sleep', 'date', 'wc', 'cat', 'seq'])
    symlinkSync(`/bin/${name}`, join(programs, name));
  const path = project.env['PATH'];
  project.env['PATH'] = programs;
  const id = await turnOf(project, 'quick');
  expect(snapshotOf(project, id, 1, 'before')).toMatchObject({
    tree: null,
    why: 'git was not found on your PATH',
  });
  expect(snapshotOf(project, id, 1, 'after')).toBe(null);
  project.env['PATH'] = path;
  const home = await project.ended(['-s', 'danger-full-access', '-C', project.env['HOME'] ?? '', 'quick']);
  expect(snapshotOf(project, home, 1, 'before')?.why).toBe(`${project.env['HOME']} holds a whole home`);
});

test('a turn that may write nothing has no snapshots', async () => {
  const project = createRepository();
  const id = await project.ended(['-s', 'read-only', 'quick']);
  expect(snapshotOf(project, id, 1, 'before')).toBe(null);
  expect(existsSync(snapshotsOf(project, id))).toBe(false);
});

test('files that nobody has recorded after a turn are recorded before the next one', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'echo one > one');
  rmSync(project.turnFile(id, 1, 'after.json'));
  await turnOf(project, 'echo two > two', id);
  const [first, second] = [snapshotOf(project, id, 1, 'after'), snapshotOf(project, id, 2, 'before')];
  expect(first?.tree).toBe(second?.tree);
  expect(first?.changed).toEqual({ files: 1, added: 1, removed: 0 });
  expect(snapshotOf(project, id, 2, 'after')?.total).toEqual({ files: 2, added: 2, removed: 0 });
});
