import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { createOrdinaryProject } from '../helpers/ordinary-project.ts';
import { eventually, processesWith } from '../helpers/project.ts';
import { notPrivate } from '../helpers/tree.ts';

function ordinaryProject({ onTestFinished }: TestContext) {
  const project = createOrdinaryProject(onTestFinished);
  const ok = async (umask: string, ...args: readonly string[]): Promise<string> => {
    const ended = await project.ordinary(args, umask);
    expect(ended, args.join(' ')).toMatchObject({ code: 0 });
    return ended.stdout.trim();
  };
  return { ...project, ok };
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
    await eventually('all is settled', () => processesWith(`HOME=${project.base}/`).length === 0);
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
