import { chownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { IS_ROOT } from '../helpers/as-root.ts';
import { installForAll } from '../helpers/install.ts';
import { notPrivate } from '../helpers/modes.ts';
import { eventually, processesWith, repositoryFile, runProgram } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';

const NOBODY = 65_534;

/** A project of a user whom permissions bind: root runs zwarm as another one. */
function ordinaryProject({ onTestFinished }: TestContext) {
  const project = createShellProject('project', onTestFinished);
  const { base, directory: cwd } = project;
  const installed = IS_ROOT ? installForAll(base, 'fixtures/shell-agent') : repositoryFile('.');
  const beside = [base, cwd, join(base, 'home'), join(base, 'tmp')];
  if (IS_ROOT) for (const path of beside) chownSync(path, NOBODY, NOBODY);
  const env = { ...project.env, ZWARM_CODEX_BIN: join(installed, 'fixtures/shell-agent') };
  const ok = async (umask: string, ...args: readonly string[]): Promise<string> => {
    const command = ['sh', process.execPath, join(installed, 'bin/zwarm.js'), ...args];
    const user = IS_ROOT ? { uid: NOBODY } : {};
    const line = `umask ${umask}; exec "$@"`;
    const ended = await runProgram('/bin/sh', ['-c', line, ...command], { cwd, env, ...user });
    expect(ended, args.join(' ')).toMatchObject({ code: 0 });
    return ended.stdout.trim();
  };
  const quiet = () => eventually('all is settled', () => processesWith(`HOME=${base}/`).length === 0);
  return { ...project, ok, quiet };
}

// Concurrent: the demo takes its time.
test.concurrent.for(['0777', '0000'])(
  'under umask %s everything works, and what is kept is private and of use later',
  async (umask, t) => {
    const project = ordinaryProject(t);
    const { ok } = project;
    const id = await ok(umask, 'start', 'run : > made');
    await ok(umask, 'wait', id);
    // The agent has the umask of its caller.
    expect(lstatSync(join(project.directory, 'made')).mode & 0o777).toBe(0o666 & ~Number.parseInt(umask, 8));
    expect(await ok(umask, 'show', id)).toContain('done');
    expect(await ok(umask, 'inject', id, '--wait', 'quick')).toBe('done');
    const hanging = await ok(umask, 'start', 'hang');
    expect(await ok(umask, 'kill', hanging, '--grace', '20s')).toBe(`${hanging} killed`);
    await ok(umask, 'fork', id, 'quick', '--wait');
    await ok(umask, 'config', 'set', 'sandbox', 'read-only');
    await project.quiet();
    expect((await ok('0022', 'ls', '-q')).split('\n')).toHaveLength(3);
    const home = join(project.base, 'home');
    const modes = [project.store(), home].flatMap(notPrivate).filter((path) => !path.startsWith(`${home} `));
    expect(modes).toEqual([]);
    expect(readdirSync(home)).toEqual(['.config', '.local']);
    // Every kind of file was there to be looked at.
    const names = readdirSync(project.store(), { recursive: true, encoding: 'utf8' }).join('\n');
    for (const name of ['summary.json', 'cancel.json', 'exit.json', 'runner.stat', 'notified.json'])
      expect(names).toContain(name);

    await ok('0022', 'inject', id, '--wait', 'quick');
    await ok(umask, 'rm', id);
    expect((await ok(umask, 'clean', '--days', '0')).split('\n')).toHaveLength(2);
  },
);

test.concurrent('the demo works under umask 0177', async (t) => {
  expect(await ordinaryProject(t).ok('0177', 'demo')).toContain('completed');
});
