import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { createProject } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';
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

/** An editor in which somebody types this; `paths` are the pages that it was given. */
function typing(text: string, code = 0) {
  const paths: string[] = [];
  const editor = (_: string, [file = '']: readonly string[]) => {
    paths.push(file);
    writeFileSync(file, `${text}\n${readFileSync(file, 'utf8')}`);
    return Promise.resolve(code);
  };
  return { paths, editor };
}

test('what would be refused anyway is refused before the editor opens', async () => {
  const project = createShellProject();
  const running = await project.begin('hang');
  for (const [argv, code] of [
    [['start', '-a', 'nobody'], 2],
    [['start', '-s', 'nothing'], 2],
    [['start', '-C', 'no-where'], 2],
    [['start', '--name', 'a b'], 2],
    [['orchestrate', '-a', 'demo'], 2],
    [['inject', 'nothing'], 3],
    [['inject', running], 4],
  ] as const) {
    const { paths, editor } = typing('a long message');
    const shown = await onScreen(project, argv, { tty: true, env: EDITOR, editor });
    expect.soft(shown.code, argv.join(' ')).toBe(code);
    expect.soft(paths, argv.join(' ')).toEqual([]);
  }
});

test('what was written is kept where the command fails after that, and the error says where', async () => {
  const project = createProject();
  await onScreen(project, ['start', 'a task', '--wait']);
  const { paths, editor } = typing('a long message');
  const racing = (command: string, files: readonly string[]) => {
    // Removed while the message was written.
    rmSync(project.store(), { recursive: true });
    return editor(command, files);
  };
  const shown = await onScreen(project, ['inject', '@last'], { tty: true, env: EDITOR, editor: racing });
  const [path = ''] = paths;
  onTestFinished(() => rmSync(dirname(path), { recursive: true, force: true }));
  expect(shown).toMatchObject({ code: 3, stdout: '' });
  expect(shown.stderr).toContain(`what you wrote is kept in ${path}`);
  expect(readFileSync(path, 'utf8')).toBe('a long message\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  // It can be given as it is.
  expect((await onScreen(project, ['start', '-F', path, '--wait'])).code).toBe(0);
  expect(project.runs().at(-1)?.stdin).toBe('a long message\n');
});

test('what was written is kept where the editor failed', async () => {
  const project = createProject();
  const { paths, editor } = typing('a long message', 1);
  const shown = await onScreen(project, ['start'], { tty: true, env: EDITOR, editor });
  const [path = ''] = paths;
  onTestFinished(() => rmSync(dirname(path), { recursive: true, force: true }));
  expect(shown.stderr).toContain(
    `the editor ended with 1\nhint: nothing was started; what you wrote is kept in ${path}`,
  );
  expect(readFileSync(path, 'utf8')).toBe('a long message\n');
});
