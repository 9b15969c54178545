import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCodexProject, requireSandbox } from '../helpers/codex.ts';
import { byHand } from '../helpers/files.ts';
import { git } from '../helpers/git.ts';

/** What the real agent does in each turn, by the word in its message. */
const SCRIPTS = {
  edits:
    'sed -i s/1/one/ a; echo new > "new ü"; mkdir -p deep/er; echo d > deep/er/d; rm sub/b; rmdir sub; ln -s a link',
  plants: `git init -q nested; git -C nested config core.fsmonitor "touch $PWD/../ran"; echo n > nested/n
    mkdir -p filtered; echo '* filter=evil' > filtered/.gitattributes; echo f > filtered/f; mkfifo fifo; echo more >> a`,
  commits:
    'echo one >> a; git add a; git commit -qm agent; echo two >> a; git reset -q --hard HEAD~; git checkout -q -b other; echo three >> a',
};

test.concurrent.for(['workspace-write', 'danger-full-access'])(
  'what the real Codex changed in %s is what differs between copies, whoever commits',
  async (sandbox, t) => {
    await requireSandbox();
    const scenarios = Object.fromEntries(
      Object.entries(SCRIPTS).map(([name, shell]) => [
        name,
        [{ message: 'on it', shell }, { message: 'done' }],
      ]),
    );
    const project = await createCodexProject(t.onTestFinished, { script: { scenarios } });
    const { directory, base } = project;
    byHand(
      project,
      `git config user.name a; git config user.email a@example.org; git config filter.evil.clean "touch ${base}/ran; cat"
      seq 1 9 > a; mkdir sub; echo b > sub/b; git add .; git commit -qm first`,
    );
    const turns = ['edits', 'plants', ...(sandbox === 'danger-full-access' ? ['commits'] : [])];
    let id = '';
    const copies: [before: string, after: string][] = [];
    for (const [i, word] of turns.entries()) {
      const [before, after] = [join(base, `before-${i}`), join(base, `after-${i}`)];
      const copy = (to: string) => execFileSync('cp', ['-a', directory, to]);
      copy(before);
      const message = `[[${word}]] work`;
      const argv =
        i === 0
          ? ['start', '-s', sandbox, '--wait', '--json', message]
          : ['inject', id, '--wait', '--json', message];
      id = JSON.parse(await project.ok(argv)).id;
      await project.settled(id, i + 1);
      copy(after);
      copies.push([before, after]);
      // Between the turns a person works, too.
      byHand(
        project,
        `git mv a a${i}; git commit -qam person; git mv a${i} a; git commit -qam again; echo ${i} > person`,
      );
    }
    expect(git(directory, 'for-each-ref', '--format=%(refname)', 'refs/zwarm')).toBe(`refs/zwarm/${id}`);
    for (const [i, [before, after]] of copies.entries()) {
      const { stdout: patch } = await project.asProcess(['diff', id, '--turn', String(i + 1), '--patch']);
      const plain = join(base, `plain-${i}`);
      cpSync(before, plain, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !/\/(\.git|\.zwarm|fifo)$/.test(path),
      });
      git(plain, 'init', '-q');
      if (patch !== '')
        execFileSync('git', ['apply', '-'], { cwd: plain, input: patch, env: { PATH: process.env['PATH'] } });
      const excluded = ['.git', '.zwarm', '.codex', '.agents', 'fifo'].map((name) => `--exclude=${name}`);
      const { stdout } = spawnSync('diff', ['-r', '--no-dereference', ...excluded, plain, after]);
      expect(stdout.toString(), `turn ${i + 1}`).toBe('');
    }
    expect(existsSync(join(base, 'ran'))).toBe(false);
    expect(await project.$(`diff ${id} --turn 1 --name-only`)).toBe('a\ndeep/er/d\nlink\nnew ü\nsub/b\n');
  },
);
