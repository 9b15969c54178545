import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { byHand, createRepository, turnOf } from '../helpers/files.ts';

const EDITOR = { EDITOR: 'my-editor', VISUAL: undefined, ZWARM_EDITOR: undefined };

/** An editor that does this with its page; what it was given. */
function editing(change: (page: string) => string) {
  const pages: string[] = [];
  const paths: string[] = [];
  const editor = (_: string, [file = '']: readonly string[]) => {
    pages.push(readFileSync(file, 'utf8'));
    paths.push(file);
    writeFileSync(file, change(pages.at(-1) ?? ''));
    return Promise.resolve(0);
  };
  return { pages, paths, options: { tty: true, env: EDITOR, editor } };
}

test('comments below lines of the patch become one message with path, line and quoted line', async () => {
  const project = createRepository();
  const id = await turnOf(
    project,
    'sed -i -e s/1/one/ -e /9/d a; printf "x\\n-- y\\n" > "new file"; git mv sub/b sub/c',
  );
  const { pages, options } = editing(
    (page) =>
      `> All in all well done.\n${page
        .replace('+one\n', '+one\n> Why in words?\n>\n> Use digits.\n')
        .replace('-9\n', '-9\n> Keep this.\n')
        .replace(' 2\n', '')
        .replace('+-- y\n', '+-- y  \n> What is this?\n')
        .replace('rename to sub/c\n', 'rename to sub/c\n> Not needed.\n')}`,
  );
  const shown = await project.zwarm(['review', id, '--wait'], options);
  expect(shown).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(pages[0]).toMatch(/^# Write a comment .*\n# .*\ndiff --git a\/a b\/a\n/);
  expect((await project.show(id)).turns[1]?.prompt).toMatchInlineSnapshot(`
    "I have reviewed what you changed. My comments, each below the line that it is about:

    All in all well done.

    a:1
    > +one
    Why in words?

    Use digits.

    a:9 (removed)
    > -9
    Keep this.

    new file:2
    > +-- y
    What is this?

    sub/c
    Not needed.
    "
  `);
});

test('without a comment nothing is sent; what is no comment is refused, and what was written is kept', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'echo more >> a');
  const { options, paths } = editing((page) => page);
  expect((await project.zwarm(['review', id], options)).stderr).toContain('no comments: nothing was sent');
  expect(existsSync(paths[0] ?? '')).toBe(false);
  const wrong = editing((page) => page.replace('+more\n', '+more\nWhy?\n'));
  const refused = await project.zwarm(['review', id], wrong.options);
  onTestFinished(() => rmSync(dirname(wrong.paths[0] ?? '/nowhere/x'), { recursive: true }));
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/line \d+ is neither a line of the patch nor a comment: Why\?/);
  expect(refused.stderr).toContain(`what you wrote is kept in ${wrong.paths[0]}`);
  expect((await project.show(id)).turns).toHaveLength(1);
  expect(readFileSync(wrong.paths[0] ?? '', 'utf8')).toContain('+more\nWhy?\n');
});

test('in steps: the patch in a file, comments in it, then the file', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'echo more >> a; echo other > sub/b');
  const patch = await project.ok(['diff', id, '--', 'a']);
  const file = join(project.base, 'review');
  writeFileSync(file, `${patch}\n> Less, please.\n`);
  await project.ok(['review', id, '-F', file, '--wait']);
  expect((await project.show(id)).turns[1]?.prompt).toContain('a:10\n> +more\nLess, please.');
  const piped = await project.zwarm(['review', id, 'sub/b', '--wait'], {
    input: (await project.ok(['diff', id, '--', 'sub/b'])).replace('-b', '-b\n> It was good.'),
  });
  expect(piped.code).toBe(0);
  expect((await project.show(id)).turns[2]?.prompt).toContain('sub/b:1 (removed)\n> -b\nIt was good.');
});

test('a session that runs, and one that changed nothing, is not reviewed', async () => {
  const project = createRepository();
  const id = await turnOf(project, 'quick');
  const { options, pages } = editing((page) => page);
  expect((await project.zwarm(['review', id], options)).stderr).toContain('nothing changed');
  await project.ok(['inject', id, 'run echo x > x; exec sleep 1000']);
  byHand(project, 'until [ -e x ]; do sleep 0.01; done');
  expect((await project.zwarm(['review', id], options)).stderr).toContain('is still running');
  expect(pages).toEqual([]);
});
