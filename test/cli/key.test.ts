import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../src/core/ids.ts';
import { openLibrary } from '../helpers/library.ts';
import { createShellProject, eventually } from '../helpers/project.ts';

const [A, B, C] = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc'] as const;

test('a second start with a key takes the session of the first', async () => {
  const project = createShellProject();
  const { $, ok } = project;
  const start = (newId: string, words: string) => $(`start --key build/1 ${words}`, { newId });
  expect(await start(A, '--name lint quick')).toBe(`${A}\n`);
  expect(await start(B, '--name lint quick')).toMatchInlineSnapshot(`
    "aaaaaaaaaa
    zwarm: aaaaaaaaaa was started with this key before
    "
  `);
  expect(await start(B, '--wait quick')).toMatchInlineSnapshot(`
    "done
    zwarm: aaaaaaaaaa was started with this key before
    "
  `);
  expect(JSON.parse(await ok(['start', '--json', '--key', 'build/1', 'quick']))).toMatchObject({
    id: A,
    started: false,
  });
  expect(JSON.parse(await ok(['start', '--json', '--key', 'build/2', 'quick'], { newId: B }))).toMatchObject({
    id: B,
    started: true,
  });
  await ok(['wait', '-q', A, B]);
  expect(project.runs()).toHaveLength(2);
  expect((await project.show(A)).name).toBe('lint');
});

test('with a key that has begun something else it is refused, and nothing is changed', async () => {
  const { $, list } = createShellProject();
  await $("start --key k -s read-only 'one task'", { newId: A });
  expect(await $("start --key k 'one task'")).toContain(`${A}\n`);
  expect(await $("start --key k 'another task'", { newId: B })).toMatchInlineSnapshot(`
    "zwarm: the key "k" has begun aaaaaaaaaa, with another task
    hint: choose another key, or go on with that session: zwarm inject aaaaaaaaaa "…"
    [exit 4]
    "
  `);
  expect(await $("start --key k -s danger-full-access 'one task'")).toMatchInlineSnapshot(`
    "zwarm: the key "k" has begun aaaaaaaaaa, with another sandbox
    hint: choose another key, or go on with that session: zwarm inject aaaaaaaaaa "…"
    [exit 4]
    "
  `);
  expect(await $("start --key '' 'one task'")).toMatchInlineSnapshot(`
    "zwarm: the key is empty
    hint: give a text of at most 200 characters, such as build-4711/lint
    [exit 2]
    "
  `);
  expect(await $(`start --key ${'k'.repeat(201)} 'one task'`)).toMatchInlineSnapshot(`
    "zwarm: a key of 201 characters is too long
    hint: give a text of at most 200 characters, such as build-4711/lint
    [exit 2]
    "
  `);
  // The name is another's: that has nothing to do with the key.
  await $('name @last taken');
  expect(await $('start --key other --name taken x')).toMatch(
    /^zwarm: the name taken is taken: .*\n.*\n\[exit 4\]\n$/,
  );
  expect(await list()).toHaveLength(1);
});

test('a key is free again when its session is removed; a fork does not have it', async () => {
  const { $, ok, store } = createShellProject();
  await ok(['start', '--wait', '--key', 'k', 'quick'], { newId: A });
  await ok(['fork', A], { newId: B });
  await ok(['rm', A]);
  expect(readdirSync(join(store(), 'names'))).toEqual([]);
  expect(await $('start --key k quick', { newId: C })).toBe(`${C}\n`);
  await eventually('it has ended', async () => (await $(`wait -q ${C}`)) === `${C}\n`);
  await ok(['rm', B]);
  expect(await $('start --key k quick')).toContain(`${C}\n`);
});

test('each caller has keys of its own', async () => {
  const project = createShellProject();
  const { ok } = project;
  await ok(['start', '--key', 'k', 'quick'], { newId: A });
  const nightly = openLibrary(project, { client: 'nightly' });
  const { id, started } = await nightly.start({ key: 'k', task: 'quick' });
  expect({ isOther: id !== A, started }).toEqual({ isOther: true, started: true });
  expect(await nightly.start({ key: 'k', task: 'quick' })).toMatchObject({ id, started: false });
  await nightly.wait(id);
});

test('of several starts at once one begins the session, and all get it', async () => {
  const project = createShellProject();
  const begun = await Promise.all(
    ['a', 'b', 'c', 'd'].map(() => openLibrary(project).start({ key: 'k', name: 'same', task: 'quick' })),
  );
  expect(new Set(begun.map(({ id }) => id)).size).toBe(1);
  expect(begun.filter(({ started }) => started)).toHaveLength(1);
  await openLibrary(project).wait(begun[0]?.id ?? ('' as SessionId));
  expect(project.runs()).toHaveLength(1);
});
