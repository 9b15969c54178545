import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTools } from '../../helpers/tools-in-process.ts';

test('get_changes lists the files that a session changed, and has their lines', async () => {
  const { ok, refused, ended, project } = createTools();
  mkdirSync(join(project.directory, 'src'));
  const session_id = await ended('run echo one > src/one; echo two > two');
  const changes = await ok('get_changes', { session_id });
  expect(changes).toMatchObject({
    hint: null,
    turn: null,
    format: 'stat',
    files: [
      { path: 'src/one', kind: 'added', from: null, added: 1, removed: 0 },
      { path: 'two', kind: 'added', from: null, added: 1, removed: 0 },
    ],
    patch: null,
    next_offset: null,
    file_count: 2,
    added: 2,
    removed: 0,
    so_far: false,
  });
  const patch = await ok('get_changes', { session_id, turn: 1, path: 'src', format: 'patch' });
  expect(patch).toMatchObject({ turn: 1, files: [], file_count: 1 });
  expect(patch.patch).toMatch(/^diff --git a\/src\/one b\/src\/one\n[\s\S]*\n\+one\n$/);
  expect(await refused('get_changes', { session_id, turn: 2 })).toMatchObject({
    error: expect.stringContaining('no turn 2'),
  });
  expect(await refused('get_changes', { session_id, path: '../x' })).toMatchObject({
    error: expect.stringContaining('does not lie in'),
  });
});

test('a long patch comes in pages, and a long line of it cut', async () => {
  const { ok, ended } = createTools();
  const session_id = await ended('run seq 20000 > many; head -c 100000 /dev/zero | tr "\\0" z > long');
  let patch = '';
  for (let offset: number | null = 0; offset !== null; ) {
    const page: { patch: string; next_offset: number | null; hint: string | null } = await ok('get_changes', {
      session_id,
      format: 'patch',
      offset,
    });
    expect(page.patch.length).toBeLessThan(50_000);
    if (page.next_offset !== null) expect(page.hint).toContain(`after them: offset=${page.next_offset}`);
    patch += page.patch;
    offset = page.next_offset;
  }
  expect(patch.split('\n').filter((line) => /^\+\d+$/.test(line))).toHaveLength(20_000);
  expect(patch).toMatch(/\n\+z{1990,2000}…\n/);
});
