import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { createProject } from '../helpers/project.ts';
import { snapshot } from '../helpers/tree.ts';

const EDITOR = { EDITOR: 'my-editor', VISUAL: undefined, ZWARM_EDITOR: undefined };

test('the editor gets a page that explains itself, and its text above that is the task', async () => {
  const project = createProject();
  let page = '';
  let path = '';
  const started = await onScreen(project, ['start', '--wait'], {
    tty: true,
    env: EDITOR,
    editor: (command, [file = '']) => {
      expect(command).toBe('my-editor');
      path = file;
      page = readFileSync(file, 'utf8');
      writeFileSync(file, `fix the <!-- odd --> bug\n${page}`);
      return Promise.resolve(0);
    },
  });
  expect(started.code).toBe(0);
  expect(page).toMatch(/^\n<!-- Write the task above, save and close\./);
  expect(project.runs().map((run) => run.stdin)).toEqual(['fix the <!-- odd --> bug']);
  expect(existsSync(dirname(path))).toBe(false);
});

test('VISUAL comes before EDITOR, ZWARM_EDITOR before both, and a message is edited like a task', async () => {
  const project = createProject();
  const asked: string[] = [];
  const editor = (command: string, [file = '']: readonly string[]) => {
    asked.push(command);
    writeFileSync(file, 'hello');
    return Promise.resolve(0);
  };
  const env = { EDITOR: 'e', VISUAL: 'v', ZWARM_EDITOR: 'z' };
  for (const more of [{}, { ZWARM_EDITOR: undefined }]) {
    await onScreen(project, ['start', '--wait'], { tty: true, env: { ...env, ...more }, editor });
  }
  expect((await onScreen(project, ['inject', '@last', '--wait'], { tty: true, env, editor })).code).toBe(0);
  expect(asked).toEqual(['z', 'v', 'z']);
});

test('an editor that saves nothing, fails, or is not set starts nothing', async () => {
  const project = createProject();
  const rows: readonly [env: typeof EDITOR | Record<string, undefined>, code: number | null, said: RegExp][] =
    [
      [EDITOR, 0, /the task is empty/],
      [EDITOR, 3, /the editor ended with 3\nhint: nothing was started/],
      [EDITOR, null, /the editor ended with a signal/],
      [
        { EDITOR: undefined, VISUAL: undefined, ZWARM_EDITOR: undefined },
        0,
        /no task was given\nhint: .*EDITOR/,
      ],
    ];
  for (const [env, code, said] of rows) {
    const editor = () => Promise.resolve(code);
    const shown = await onScreen(project, ['start'], { tty: true, env, editor });
    expect.soft(shown).toMatchObject({ code: 2, stdout: '' });
    expect.soft(shown.stderr).toMatch(said);
  }
  expect(Object.keys(snapshot(project.directory))).toEqual([project.directory]);
});
