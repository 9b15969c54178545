import { expect, test } from 'vitest';
import { createShellProject } from '../helpers/project.ts';

const [A, B, C, D] = ['tagsaaaaaa', 'tagsbbbbbb', 'tagscccccc', 'tagsdddddd'] as const;

test('sessions are listed, waited for, ended and removed by their tags', async () => {
  const project = createShellProject();
  const $ = (line: string) => project.$(line);
  const now = Date.now();
  const begin = (newId: string, line: string) => project.zwarm(line.split(' '), { newId, now });
  await begin(A, 'start --wait --tag nightly --tag docs --tag docs x');
  await begin(B, 'start --tag nightly hang');
  await begin(C, 'start hang');
  const [row] = await project.list(['--tag', 'docs', '--tag', 'none']);
  expect(row).toMatchObject({ id: A, tags: ['nightly', 'docs'] });
  expect(await $('ls -q --tag nightly')).toBe(`${B}\n${A}\n`);
  expect(await $('ls -q --tag none')).toBe('');
  expect(await $('wait --any --tag docs')).toBe(`${A} completed\n`);
  const forked = JSON.parse(await $(`fork ${A} --json`));
  expect(forked.tags).toEqual(['nightly', 'docs']);
  // One of several that have ended is told, and of those that run nothing is said.
  const any = await project.zwarm(['wait', '--any', A, forked.id, B]);
  expect(any).toEqual({ code: 0, stdout: expect.stringMatching(/^\w{10} completed\n$/), stderr: '' });
  await project.ok(['rm', forked.id]);

  expect(await $('kill --tag docs')).toBe('');
  expect(await $('kill --tag nightly')).toBe(`${B} killed\n`);
  const waited = (await $('wait --tag nightly --tag docs')).split('\n').sort();
  expect(waited).toEqual(['', '[exit 1]', `${A} completed`, `${B} killed`]);
  expect(await $('answer --tag nightly')).toBe(`done\n${B} killed\n${A} completed\n[exit 1]\n`);
  expect(await $('answer --tag docs')).toBe(`done\n${A} completed\n`);
  expect(await $('answer --tag docs --json')).toBe(
    `${JSON.stringify([{ id: A, turn: 1, status: 'completed', answer: 'done' }], null, 2)}\n`,
  );
  expect(await $('clean --days 0 --tag docs')).toBe(`${A}\n`);
  expect(await $('clean --days 0 --tag docs')).toBe('');
  expect(await $('ls -q')).toBe(`${B}\n${C}\n`);
});

test.each([
  [
    'start --tag Nightly x',
    /^zwarm: "Nightly" is not a valid tag\nhint: a tag has at most 40 .*\n\[exit 2\]\n$/,
  ],
  [`start --tag ${'a'.repeat(41)} x`, /is not a valid tag\n/],
  ['ls --tag a,b', /is not a valid tag\n/],
  ['wait', /^zwarm: which session\?\nhint: zwarm wait @last, or zwarm wait --tag TAG\n\[exit 2\]\n$/],
  ['wait abc --tag docs', /^zwarm: give either ids or --tag\nhint: zwarm wait --tag docs\n\[exit 2\]\n$/],
  ['answer abc --tag docs', /^zwarm: give either ids or --tag\nhint: zwarm answer --tag docs\n/],
  ['answer', /^zwarm: which session\?\nhint: zwarm answer @last, or zwarm answer --tag TAG\n\[exit 2\]\n$/],
  ['answer --tag docs', /^zwarm: nothing matches --tag docs\n/],
  ['kill abcd --tag docs', /give either ids or --tag\n/],
  ['kill --all --tag docs', /cannot be used with/],
  ['clean --gone --tag docs', /cannot be used with/],
  ['wait --tag docs', /^zwarm: nothing matches --tag docs\nhint: see: zwarm ls --all\n\[exit 3\]\n$/],
  ['kill --tag docs --tag none', /^zwarm: nothing matches --tag docs --tag none\n/],
])('%s is refused', async (line, said) => {
  expect(await createShellProject().$(line)).toMatch(said);
});

test('a session has no more tags than a reader has use for', async () => {
  const project = createShellProject();
  const tags = Array.from({ length: 17 }, (_, i) => ['--tag', `t${i}`]).flat();
  expect(await project.zwarm(['start', ...tags, 'x'])).toMatchObject({
    code: 2,
    stderr: 'zwarm: 17 tags are too many\nhint: give at most 16\n',
  });
  expect(await project.list()).toEqual([]);
});

test('of sessions with a tag, those that have no answer yet are told beside the others', async () => {
  const project = createShellProject();
  await project.ended(['--tag', 'docs', 'quick'], { newId: A });
  await project.zwarm(['start', '--tag', 'docs', 'hang'], { newId: B });
  expect(await project.$('answer --tag docs')).toMatchInlineSnapshot(`
    "done
    tagsaaaaaa completed
    zwarm: tagsbbbbbb is still running: it has no answer yet
    hint: wait for it: zwarm wait tagsbbbbbb --answer
    [exit 4]
    "
  `);
  expect(JSON.parse((await project.zwarm(['answer', '--tag', 'docs', '--json'])).stdout)).toMatchObject([
    { id: B, error: { code: 'busy' } },
    { id: A, answer: 'done' },
  ]);
});

test('@running and @failed are the first of the list that are so', async () => {
  const project = createShellProject();
  const $ = (line: string) => project.$(line);
  const none = (what: string) => `zwarm: ${what}\nhint: see: zwarm ls --all\n[exit 3]\n`;
  await project.ended(['quick'], { newId: A });
  expect(await $('kill @running')).toBe(none('no session is running'));
  expect(await $('answer @failed')).toBe(none('no session has failed'));
  await project.zwarm(['start', '--wait', 'break'], { newId: B });
  await project.ended(['quick']);
  expect(await $('ls -q --status failed')).toBe(`${B}\n`);
  expect((await project.zwarm(['answer', '@failed', '--json'])).stdout).toContain(`"id": "${B}"`);
  // Each is one session: the other one that runs is left alone.
  await project.zwarm(['start', 'hang'], { newId: C });
  await project.zwarm(['start', 'hang'], { newId: D });
  expect(await $('kill @running')).toBe(`${D} killed\n`);
  expect(await $('ls -q --status running')).toBe(`${C}\n`);
});
