import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { createProject, createShellProject } from '../helpers/project.ts';
import { snapshot } from '../helpers/tree.ts';

const EDITOR = { EDITOR: 'my-editor', VISUAL: undefined, ZWARM_EDITOR: undefined };

/** An editor in which somebody types this; `paths` are the pages that it was given, `asked` what was to be run. */
function typing(text: string, code: number | null = 0) {
  const [paths, asked, pages]: [string[], string[], string[]] = [[], [], []];
  const editor = (command: string, [file = '']: readonly string[]) => {
    paths.push(file);
    asked.push(command);
    pages.push(readFileSync(file, 'utf8'));
    writeFileSync(file, text === '' ? '' : `${text}\n${pages.at(-1)}`);
    return Promise.resolve(code);
  };
  return { paths, asked, pages, editor };
}

test('the editor gets a page that explains itself, and its text above that is the task', async () => {
  const project = createProject();
  const { paths, pages, asked, editor } = typing('fix the <!-- odd --> bug');
  const started = await onScreen(project, ['start', '--wait'], { tty: true, env: EDITOR, editor });
  expect(started.code).toBe(0);
  expect(asked).toEqual(['my-editor']);
  expect(pages[0]).toMatch(/^\n<!-- Write the task above, save and close\./);
  expect(project.runs().map((run) => run.stdin)).toEqual(['fix the <!-- odd --> bug']);
  expect(existsSync(dirname(paths[0] ?? ''))).toBe(false);
});

test('VISUAL comes before EDITOR, ZWARM_EDITOR before both, and a message is edited like a task', async () => {
  const project = createProject();
  const { asked, editor } = typing('hello');
  const env = { EDITOR: 'e', VISUAL: 'v', ZWARM_EDITOR: 'z' };
  const edit = (argv: string[], more = {}) =>
    onScreen(project, [...argv, '--wait'], { tty: true, env: { ...env, ...more }, editor });
  await edit(['start']);
  await edit(['start'], { ZWARM_EDITOR: undefined });
  expect((await edit(['inject', '@last'])).code).toBe(0);
  expect(asked).toEqual(['z', 'v', 'z']);
});

test('an editor that saves nothing, fails, or is not set starts nothing', async () => {
  const project = createProject();
  for (const [env, code, said] of [
    [EDITOR, 0, /the task is empty/],
    [EDITOR, 3, /the editor ended with 3\nhint: nothing was started/],
    [EDITOR, null, /the editor ended with a signal/],
    [{ ...EDITOR, EDITOR: undefined }, 0, /no task was given\nhint: .*EDITOR/],
  ] as const) {
    const { editor } = typing('', code);
    const shown = await onScreen(project, ['start'], { tty: true, env, editor });
    expect.soft(shown).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(said) });
  }
  expect(Object.keys(snapshot(project.directory))).toEqual([project.directory]);
});

test('what would be refused anyway is refused before the editor opens', async () => {
  const project = createShellProject();
  const running = await project.begin('hang');
  const { paths, editor } = typing('a long message');
  const usage = ['start -a nobody', 'start -s nothing', 'start -C no-where', 'start --name A'];
  const codes = [];
  for (const line of [...usage, 'orchestrate -a demo', 'inject nothing', `inject ${running}`])
    codes.push((await onScreen(project, line.split(' '), { tty: true, env: EDITOR, editor })).code);
  expect({ codes, paths }).toEqual({ codes: [2, 2, 2, 2, 2, 3, 4], paths: [] });
});

test('what was written is kept where the editor or the command fails after that, and the error says where', async () => {
  const project = createProject();
  await onScreen(project, ['start', 'a task', '--wait']);
  const { paths, editor } = typing('a long message', 1);
  onTestFinished(() => {
    for (const path of paths) rmSync(dirname(path), { recursive: true, force: true });
  });
  const failed = await onScreen(project, ['start'], { tty: true, env: EDITOR, editor });
  expect(failed.stderr).toContain(
    `the editor ended with 1\nhint: nothing was started; what you wrote is kept in ${paths[0]}`,
  );
  const racing = async (command: string, files: readonly string[]) => {
    // Removed while the message was written.
    rmSync(project.store(), { recursive: true });
    await editor(command, files);
    return 0;
  };
  const shown = await onScreen(project, ['inject', '@last'], { tty: true, env: EDITOR, editor: racing });
  expect(shown).toMatchObject({ code: 3, stdout: '' });
  expect(shown.stderr).toContain(`what you wrote is kept in ${paths[1]}`);
  for (const path of paths) {
    expect(readFileSync(path, 'utf8')).toBe('a long message\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
  // It can be given as it is.
  expect((await onScreen(project, ['start', '-F', paths[1] ?? '', '--wait'])).code).toBe(0);
  expect(project.runs().at(-1)?.stdin).toBe('a long message\n');
});
