import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testAsRoot } from '../helpers/as-root.ts';
import { createOrdinaryProject } from '../helpers/ordinary-project.ts';
import { createProject } from '../helpers/project.ts';
import { snapshot } from '../helpers/tree.ts';

const NOBODY = 65534;

const READERS = ['ls', 'show @last'];
const WRITERS = ['start x', 'inject @last x', 'clean --days 0'];

test('a state directory that is a file or open to all is refused, and left as it is', async () => {
  const { base, $ } = createProject();
  writeFileSync(join(base, 'file'), '');
  mkdirSync(join(base, 'open'));
  chmodSync(join(base, 'open'), 0o777);
  const before = snapshot(base);
  const hint = '\\nhint: .*(ZWARM_DIR|chmod 700).*\\n\\[exit 5\\]\\n$';
  // Where others could plant a store, none is needed to refuse.
  for (const [name, why] of Object.entries({ file: 'is not a directory', open: 'can be written by others' }))
    expect(await $(`--state-dir ${join(base, name)} start x`)).toMatch(new RegExp(`${why}${hint}`));
  expect(snapshot(base)).toEqual(before);
});

test('a state directory or a store that others can write is not believed', async () => {
  const project = createProject();
  await project.ended();
  for (const path of [project.store(), project.state]) {
    chmodSync(path, 0o770);
    const before = snapshot(project.base);
    for (const line of [...READERS, ...WRITERS]) {
      const refused = await project.$(line);
      expect.soft(refused).toContain(`${path} can be written by others\nhint: make it yours alone`);
      expect.soft(refused, line).toContain('[exit 5]');
    }
    expect(snapshot(project.base)).toEqual(before);
  }
});

testAsRoot("somebody else's state directory is refused", async () => {
  const project = createProject();
  mkdirSync(project.store(), { recursive: true, mode: 0o700 });
  chownSync(project.state, NOBODY, NOBODY);
  const before = snapshot(project.base);
  const refusal = /belongs to another user \(uid \d+\)\nhint: run zwarm as that user.*\n\[exit 5\]\n$/;
  for (const line of [...READERS, ...WRITERS]) expect.soft(await project.$(line), line).toMatch(refusal);
  expect(snapshot(project.base)).toEqual(before);
});

test('where the state directory may not be made, start says so, and --state-dir leads elsewhere', async () => {
  const { ordinary: zwarm, base } = createOrdinaryProject();
  const home = join(base, 'home');
  chmodSync(home, 0o555);
  expect(await zwarm(['ls'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const refused = await zwarm(['start', 'x']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^zwarm: .*permission denied.*\nhint: .*--state-dir DIR\n$/);
  chmodSync(home, 0o755);
  const elsewhere = join(home, 'state');
  expect(await zwarm(['--state-dir', elsewhere, 'start', '--wait', 'x'])).toMatchObject({ code: 0 });
  expect((await zwarm(['ls', '-q'], undefined, { ZWARM_DIR: elsewhere })).stdout).toMatch(/^\w{10}\n$/);
});

test('a read-only state directory can be read, and writing to it says what is wrong', async () => {
  const { ordinary: zwarm, state, settled } = createOrdinaryProject();
  const session = JSON.parse((await zwarm(['start', '--wait', '--json', 'x'])).stdout);
  await settled(session.id);
  const all = Object.entries(snapshot(state));
  for (const [path, what] of all) chmodSync(path, what.startsWith('directory') ? 0o500 : 0o400);
  const before = snapshot(state);
  expect((await zwarm(['ls', '-q'])).stdout).toBe(`${session.id}\n`);
  expect((await zwarm(['show', session.id])).code).toBe(0);
  for (const line of ['start x', `inject ${session.id} x`, `rm ${session.id}`]) {
    const ended = await zwarm(line.split(' '));
    expect.soft(ended, line).toMatchObject({ code: 1, stdout: '' });
    expect.soft(ended.stderr).toMatch(/^zwarm: .*permission denied.*\nhint: check the permissions/);
  }
  expect(snapshot(state)).toEqual(before);
});

test('a store of a newer zwarm is shown but not written', async () => {
  const project = createProject();
  const id = await project.ended();
  const format = join(project.store(), 'format');
  expect(readFileSync(format, 'utf8')).toBe('2\n');
  writeFileSync(format, '3\n');
  const before = snapshot(project.base);
  expect(await project.$('ls -q')).toBe(`${id}\n`);
  expect((await project.show(id)).status).toBe('completed');
  for (const line of [...WRITERS, `rm ${id}`, `kill ${id}`]) {
    const refused = await project.$(line);
    expect.soft(refused, line).toMatch(/written by a newer zwarm\nhint: update zwarm.*\n\[exit 5\]\n$/);
  }
  expect(snapshot(project.base)).toEqual(before);
});
