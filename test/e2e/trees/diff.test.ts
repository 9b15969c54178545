import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Changes } from '../../../src/core/changes.ts';
import { byHand, createRepository, turnOf } from '../../helpers/files.ts';
import { git } from '../../helpers/git.ts';
import { eventually, type Project } from '../../helpers/project.ts';

const jsonOf = async (project: Project, line: string): Promise<Changes> =>
  JSON.parse(await project.ok(['diff', '--json', ...line.split(' ')]));

/** The changed files, each as its letter, path and lines. */
const shortOf = ({ changed_files: files }: Changes): string[] =>
  files.map(({ kind, path, from, added, removed }) =>
    [kind, from ?? [], path, `+${added} -${removed}`].flat().join(' '),
  );

test('diff shows what a turn changed, and what all turns changed together', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'echo one >> a; echo x > x');
  await turnOf(project, 'git mv sub/b sub/c; echo two >> a; rm x', id);
  const whole = `diff --git a/a b/a
index d8ad1bf..ca2fc71 100644
--- a/a
+++ b/a
@@ -7,3 +7,5 @@
 7
 8
 9
+one
+two
diff --git a/sub/b b/sub/c
similarity index 100%
rename from sub/b
rename to sub/c
`;
  expect((await project.$(`diff ${id}`)).replace(/index \w+\.\.\w+/, 'index d8ad1bf..ca2fc71')).toBe(whole);
  expect(await project.$(`diff ${id} --stat`)).toBe('M\t2\t0\ta\t\nR\t0\t0\tsub/c\tsub/b\n');
  expect(await project.$(`diff ${id} --turn 1 --stat`)).toBe('M\t1\t0\ta\t\nA\t1\t0\tx\t\n');
  expect(await project.$(`diff ${id} --turn last --name-only`)).toBe('a\nsub/c\nx\n');
  expect(await project.$(`diff ${id} --name-only -- sub`)).toBe('sub/c\n');
  expect(await project.$(`diff ${id} --turn 3`)).toContain('has no turn 3');
  expect((await project.list())[0]?.diff_stat).toEqual({ files: 2, added: 2, removed: 0 });
  expect((await project.show(id)).turns.map(({ diff_stat }) => diff_stat)).toEqual([
    { files: 2, added: 2, removed: 0 },
    { files: 3, added: 1, removed: 1 },
  ]);
  expect(await project.$(`show ${id}`)).toContain('diff       +2 −0 in 2 files');
});

test('a patch gives the same files elsewhere, whatever they are', async () => {
  const project = createRepository();
  byHand(project, 'printf "\\0\\1\\2" > binary; git add .; git commit -qm binary');
  const other = join(project.base, 'other');
  cpSync(project.directory, other, { recursive: true });
  const id = await turnOf(
    project,
    'printf "\\0\\3" > binary; printf "x" > "caf$(printf "\\351")"; printf "y\\n" > "$(printf "new\\nline")"; chmod +x a; ln -s a link; mv sub/b d; rmdir sub; sed -i s/5/five/ a',
  );
  const { stdout } = await project.asProcess(['diff', id, '--patch']);
  execFileSync('git', ['apply', '-'], { cwd: other, input: stdout });
  expect(
    spawnSync('diff', [
      '-r',
      '--no-dereference',
      '--exclude=.git',
      '--exclude=.zwarm',
      project.directory,
      other,
    ]).stdout.toString(),
  ).toBe('');
  const { changed_files: files } = await jsonOf(project, id);
  expect(files.find(({ path_bytes }) => path_bytes !== null)).toEqual({
    kind: 'added',
    path: 'caf\ufffd',
    path_bytes: Buffer.from('caf\xe9', 'latin1').toString('base64'),
    from: null,
    added: 1,
    removed: 0,
    also_outside: false,
  });
  expect(files.find(({ path }) => path === 'binary')).toMatchObject({ kind: 'modified', added: null });
  expect(files.some(({ path }) => path === 'new\nline')).toBe(true);
});

test('what others change between turns is not the session’s, and is marked where both did', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'echo mine >> a');
  byHand(project, 'sed -i s/1/one/ a; git mv sub/b b; echo yours > yours; git add .; git commit -qm yours');
  await turnOf(project, 'echo again >> a; echo new > new', id);
  const changes = await jsonOf(project, id);
  expect(shortOf(changes)).toEqual(['modified a +3 -1', 'added new +1 -0']);
  expect(changes.changed_files.map(({ also_outside }) => also_outside)).toEqual([true, false]);
  expect(await project.$(`diff ${id} --name-only`)).toContain(
    'changed between the turns, too, by others: a\n',
  );
  expect(shortOf(await jsonOf(project, `${id} --outside`))).toEqual([
    'modified a +1 -1',
    'renamed sub/b b +0 -0',
    'added yours +1 -0',
  ]);
  expect(shortOf(await jsonOf(project, `${id} --turn 2`))).toEqual(['modified a +1 -0', 'added new +1 -0']);
  expect((await project.list())[0]?.diff_stat).toEqual({ files: 2, added: 4, removed: 1 });
});

test('an agent that commits, resets and rebases has changed what differs in the files', async () => {
  const project = createRepository();
  const id = await turnOf(
    project,
    'echo x > x; git add .; git commit -qm x; git reset -q --hard HEAD~; echo y > y',
  );
  expect(shortOf(await jsonOf(project, id))).toEqual(['added y +1 -0']);
  await turnOf(
    project,
    'git add .; git commit -qm y; git checkout -q -b else; echo z > z; git commit -qam z',
    id,
  );
  byHand(
    project,
    'git checkout -q main; git reset -q --hard HEAD~; git branch -D else; git reflog expire --expire=now --all; git gc -q --prune=now',
  );
  expect(await project.$(`diff ${id} --turn 2`)).toContain('+z\n');
  expect(shortOf(await jsonOf(project, id))).toEqual(['added y +1 -0', 'added z +1 -0']);
});

test('a file whose content was not kept is unknown, and never deleted', async () => {
  const project = createRepository();
  const { directory } = project;
  writeFileSync(join(directory, 'grows'), 'small\n');
  writeFileSync(join(directory, 'stays'), '');
  truncateSync(join(directory, 'stays'), 20e6);
  const id = await turnOf(project, 'truncate -s 20000000 grows; echo x >> a');
  expect(shortOf(await jsonOf(project, id))).toEqual(['modified a +1 -0', 'unknown grows +null -null']);
  const said = await project.$(`diff ${id}`);
  expect(said).toContain('not kept, so that nobody can tell what changed in it: grows\n');
  expect(said).not.toContain('deleted');
  await turnOf(project, 'rm stays', id);
  expect(shortOf(await jsonOf(project, `${id} --turn 2`))).toEqual(['unknown stays +null -null']);
});

test('while a turn runs it is what has changed so far; a turn that was not looked at in time says so', async () => {
  const project = createRepository();
  const id = await project.start(['run echo x > x; until [ -e go ]; do sleep 0.01; done; echo y > y']);
  await eventually('x is there', async () => (await jsonOf(project, id)).changed_files.length > 0);
  expect(await jsonOf(project, id)).toMatchObject({ so_far: true, turns: [1] });
  expect(await project.$(`diff ${id} --name-only`)).toBe(
    'x\nzwarm: it still runs: these are its changes so far\n',
  );
  byHand(project, 'echo > go');
  await project.ok(['wait', id]);
  await project.settled(id);
  expect(shortOf(await jsonOf(project, id))).toEqual(['added go +1 -0', 'added x +1 -0', 'added y +1 -0']);
  const after = project.turnFile(id, 1, 'after.json');
  const record = JSON.parse(readFileSync(after, 'utf8'));
  writeFileSync(after, JSON.stringify({ ...record, at: new Date(Date.now() + 60_000).toISOString() }));
  expect((await jsonOf(project, id)).late).toEqual([1]);
  expect(await project.$(`diff ${id} --name-only`)).toContain('the files after turn 1 were looked at late');
});

test('the files after a turn that nobody settled are recorded by diff, and lists tell of them', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'echo x > x');
  const summary = join(project.store(), 'sessions', id, 'summary.json');
  const record = JSON.parse(readFileSync(summary, 'utf8'));
  writeFileSync(summary, JSON.stringify({ ...record, listed: { ...record.listed, diff_stat: null } }));
  rmSync(project.turnFile(id, 1, 'after.json'));
  expect((await project.list())[0]?.diff_stat).toBeNull();
  expect(shortOf(await jsonOf(project, id))).toEqual(['added x +1 -0']);
  expect((await project.list())[0]?.diff_stat).toEqual({ files: 1, added: 1, removed: 0 });
});

test('diff since one has looked, and between two sessions', async () => {
  const project = createRepository();
  const one = await turnOf(project, 'echo one > x');
  await project.ok(['show', one]);
  await turnOf(project, 'echo more > y', one);
  // As the tests' turns were waited for, they were seen.
  expect(await project.$(`diff ${one} --since-seen --stat`)).toBe('');
  const two = await turnOf(project, 'echo two > x; rm y');
  expect(shortOf(await jsonOf(project, `${one} ${two}`))).toEqual(['modified x +1 -1', 'deleted y +0 -1']);
  expect(await project.$(`diff ${one} ${two} --name-only -- x`)).toBe('x\n');
  expect(await project.$(`diff ${one} ${two} --turn 1`)).toContain(
    'two sessions are compared as they are now',
  );
  expect(await project.$(`diff ${one} ${two} ${two}`)).toContain('diff compares two sessions at most');
});

test('diff says why it does not know, and that nothing can have changed', async () => {
  const project = createRepository();
  const path = project.env['PATH'];
  project.env['PATH'] = '/nowhere';
  const id = await project.ended(['quick'], { newId: 'aaaaaaaaaa' });
  project.env['PATH'] = path;
  expect(await project.$(`diff ${id}`)).toMatchInlineSnapshot(`
    "zwarm: what turn 1 of aaaaaaaaaa changed is not known: git was not found on your PATH
    hint: what its agent said that it changed: zwarm trajectory aaaaaaaaaa
    [exit 4]
    "
  `);
  await turnOf(project, 'echo x > x', id);
  expect(await project.$(`diff ${id} --name-only`)).toBe(
    'x\nzwarm: what turn 1 changed is not known: git was not found on your PATH\n',
  );
  const reads = await project.ended(['-s', 'read-only', 'quick']);
  expect(await project.$(`diff ${reads}`)).toBe('');
  expect(git(project.directory, 'status', '--porcelain')).toBe('?? x');
});

test('on a terminal a patch is in colours, and no name or line of it drives the terminal', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'printf "\\033[2Jred\\n" >> a; touch "$(printf "\\033]0;x\\007")"');
  const shown = await project.zwarm(['diff', id], { tty: true });
  expect(shown.stdout).toContain('\u001b[32m+\\x1b[2Jred\u001b[39m');
  expect(shown.stdout.replace(/\u001b\[\d+m/g, '')).not.toMatch(/[\u001b\u0007]/);
  const stat = await project.zwarm(['diff', id, '--stat'], { tty: true });
  expect(stat.stdout.replace(/\u001b\[\d+m/g, '')).toMatchInlineSnapshot(`
    "A  +0 −0  \\x1b]0;x\\x07
    M  +1 −0  a
    2 files, +1 −0
    "
  `);
});
