import { chmodSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, type Project, repositoryFile } from '../helpers/project.ts';

/*
 * A state directory as zwarm 0.1 wrote it, with fields that a later zwarm of the same format may add. It must be
 * readable for ever.
 */
function oldStore(project: Project): void {
  const root = join(project.directory, '.zwarm');
  cpSync(repositoryFile('fixtures/stores/v1'), root, { recursive: true });
  chmodSync(root, 0o700);
}

const ROWS = [
  {
    task: 'Hang',
    status: 'killed',
    turn: 1,
    sandbox: 'workspace-write',
    exit_code: null,
    signal: 'SIGINT',
    tokens: null,
    last_message: null,
  },
  {
    task: 'Fail',
    status: 'failed',
    turn: 1,
    sandbox: 'workspace-write',
    exit_code: 1,
    signal: null,
    tokens: null,
    last_message: null,
  },
  {
    task: 'Look around',
    status: 'completed',
    turn: 1,
    sandbox: 'read-only',
    exit_code: 0,
    signal: null,
    tokens: 2370,
    last_message: 'There are two files: README.md and app.py.',
  },
  {
    task: 'Remember the word pelican.',
    status: 'completed',
    turn: 2,
    sandbox: 'workspace-write',
    exit_code: 0,
    signal: null,
    tokens: 3336,
    last_message: 'Second turn done.',
  },
];

test.each(['with', 'without'])(
  'a store of format 1 is read as it was written, %s its summaries',
  async (kind) => {
    const project = createProject();
    oldStore(project);
    const before = await project.list();
    if (kind === 'without') {
      for (const { id } of before) rmSync(join(project.directory, '.zwarm', 'sessions', id, 'summary.json'));
    }
    const rows = (await project.list()).map((row) => ({
      task: row.task,
      status: row.status,
      turn: row.turn,
      sandbox: row.sandbox,
      exit_code: row.exit_code,
      signal: row.signal,
      tokens: row.token_usage?.total_tokens ?? null,
      last_message: row.last_message,
    }));
    expect(rows).toEqual(ROWS);
    const { turns, thread_id } = await project.show('three-turns');
    expect(thread_id).toBe('01a1f881-ec1e-7f12-b7c6-f75110187463');
    expect(turns.map((turn) => [turn.prompt, turn.answer, turn.how, turn.token_usage?.total_tokens])).toEqual(
      [
        ['Remember the word pelican.', 'My name is Fake. What next?', 'fresh', 1010],
        ['Which word?', 'Second turn done.', 'native', 2326],
      ],
    );
  },
);

test('an old session that was copied here is shown, but not continued', async () => {
  const project = createProject();
  oldStore(project);
  expect(await project.zwarm(['inject', 'three-turns', 'go on'])).toMatchObject({ code: 5, stdout: '' });
  expect(project.runs()).toEqual([]);
});
