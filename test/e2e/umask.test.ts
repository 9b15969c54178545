import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { IS_ROOT } from '../helpers/as-root.ts';
import { installForAll } from '../helpers/install.ts';
import { notPrivate } from '../helpers/modes.ts';
import { type Ended, eventually, processesWith, repositoryFile, runProgram } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';

const NOBODY = 65_534;

/** A project of a user whom permissions bind: root runs zwarm as another one. */
function ordinaryProject() {
  const project = createShellProject();
  const installed = IS_ROOT ? installForAll(project.base, 'fixtures/shell-agent') : repositoryFile('.');
  if (IS_ROOT) {
    for (const path of [
      project.base,
      project.directory,
      join(project.base, 'home'),
      join(project.base, 'tmp'),
    ])
      chownSync(path, NOBODY, NOBODY);
  }
  const env = { ...project.env, ZWARM_CODEX_BIN: join(installed, 'fixtures/shell-agent') };
  const zwarm = (umask: string, ...args: readonly string[]): Promise<Ended> => {
    const command = ['sh', process.execPath, join(installed, 'bin/zwarm.js'), ...args];
    return runProgram('/bin/sh', ['-c', `umask ${umask}; exec "$@"`, ...command], {
      cwd: project.directory,
      env,
      ...(IS_ROOT ? { uid: NOBODY } : {}),
    });
  };
  return { ...project, zwarm };
}

test('under umask 0777 everything works, and what is kept can be used later', async () => {
  const umask = '0777';
  const project = ordinaryProject();
  const ok = async (mask: string, ...args: readonly string[]): Promise<string> => {
    const ended = await project.zwarm(mask, ...args);
    expect(ended, args.join(' ')).toMatchObject({ code: 0 });
    return ended.stdout.trim();
  };
  const id = await ok(umask, 'start', 'quick');
  await ok(umask, 'wait', id);
  expect(await ok(umask, 'show', id)).toContain('done');
  expect(await ok(umask, 'inject', id, '--wait', 'quick')).toBe('done');
  const hanging = await ok(umask, 'start', 'hang');
  expect(await ok(umask, 'kill', hanging)).toBe(`${hanging} killed`);
  await ok(umask, 'fork', id, 'quick', '--wait');
  await ok(umask, 'config', 'set', 'sandbox', 'read-only');
  await eventually('all is settled', () => processesWith(`HOME=${project.base}/`).length === 0);
  const listed = await ok(umask, 'ls', '-q');
  expect(await ok('0022', 'ls', '-q')).toBe(listed);
  expect(listed.split('\n')).toHaveLength(3);

  const kept = [project.store(), join(project.base, 'home')];
  const modes = kept.flatMap(notPrivate).filter((path) => !path.startsWith(`${kept[1]} `));
  expect(modes).toEqual([]);
  expect(readdirSync(join(project.base, 'home'))).toEqual(['.config', '.local']);

  await ok('0022', 'inject', id, '--wait', 'quick');
  await ok(umask, 'rm', id);
  expect((await ok(umask, 'clean', '--days', '0')).split('\n')).toHaveLength(2);
  expect(await ok('0022', 'start', '--wait', 'quick')).toBe('done');
});

test('the demo works under umask 0177', async () => {
  const project = ordinaryProject();
  expect(await project.zwarm('0177', 'demo')).toMatchObject({ code: 0 });
});
