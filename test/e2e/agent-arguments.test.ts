import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { createProject } from '../helpers/project.ts';

test('an argument with which a session could not go on is refused before there is one', async () => {
  const project = createProject();
  expect(await onScreen(project, ['start', '--agent-arg=--ephemeral', 'x'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'zwarm: --agent-arg=--ephemeral cannot be passed on: codex would forget the conversation, so that none could go on\n' +
      'hint: leave it out\n',
  });
  expect(existsSync(project.store())).toBe(false);
});

test('images go with the first turn alone, other arguments with every turn, of a fork as well', async () => {
  const project = createProject();
  const args = ['-i', 'a.png', 'b.png', '--oss'].map((word) => `--agent-arg=${word}`);
  await onScreen(project, ['start', ...args, '--wait', 'one']);
  await onScreen(project, ['inject', '@last', '--wait', 'two']);
  await onScreen(project, ['fork', '@last', '--wait', 'three']);
  const passed = project.runs().map(({ argv }) => argv.slice(argv.indexOf('-s') + 2));
  expect(passed.map((words) => words.slice(0, -1).filter((word) => word.startsWith('--')))).toEqual([
    ['--image=a.png', '--image=b.png', '--oss'],
    ['--oss'],
    ['--oss'],
  ]);
});
