import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../../core/errors.ts';
import type { CliContext } from '../context.ts';
import { DEMO_FILES } from './story.ts';

/** How long git or a shell may take for what the demo asks of it. */
export const ANSWER_MS = 10_000;

/** The environment of the commands and agents of a demo. */
function environmentFor({ env }: CliContext, project: string, scratch: string): CliContext['env'] {
  // Those of git and zwarm lead to other repositories and to sessions of the user's own, or say how to do it otherwise.
  const kept = Object.entries(env).filter(([name]) => !/^(GIT|ZWARM)_/.test(name));
  return {
    ...Object.fromEntries(kept),
    // So do the settings of the user.
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    XDG_CONFIG_HOME: join(scratch, 'config'),
    XDG_STATE_HOME: join(scratch, 'state'),
    // There, and nowhere else, the demo agent works for real.
    ZWARM_DEMO_PROJECT: project,
    // The story is told without a stop.
    ZWARM_PAGER: '',
  };
}

/** Makes a temporary directory for a demo; its real path. */
export function makeScratch({ env }: CliContext): string {
  return mkdtempSync(join(realpathSync(env['TMPDIR'] || tmpdir()), 'zwarm-demo-'));
}

/** Makes the project of a demo in its temporary directory, and the context in which all of its commands run. */
export function makeProject(context: CliContext, scratch: string): CliContext {
  const project = join(scratch, 'shop');
  // A repository of its own even without git: the temporary directory may lie in a project of the user's.
  const git = join(project, '.git');
  for (const directory of [scratch, project, git]) {
    mkdirSync(directory, { recursive: true });
    // Whatever the umask.
    chmodSync(directory, 0o700);
  }
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  for (const [name, text] of Object.entries(DEMO_FILES)) writeFileSync(join(project, name), text);
  return { ...context, cwd: project, env: environmentFor(context, project, scratch) };
}

/** Commits all files of the project; false where there is no git, or none that works. */
export async function commitProject({ capture, cwd, env }: CliContext): Promise<boolean> {
  const commit = `git -c user.name=demo -c user.email=demo@localhost commit -qm 'A small shop'`;
  const script = `umask 077 && git init -q && git add -A && ${commit}`;
  return (await capture('/bin/sh', ['-c', script], { cwd, env, timeoutMs: ANSWER_MS })).code === 0;
}

/** Removes a directory in which the records of ended turns may still be completed. */
export async function removeSettling(directory: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      // Its own retries would not remove what was written meanwhile.
      return rmSync(directory, { recursive: true, force: true });
    } catch (error) {
      if (tries === 100 || errnoOf(error) !== 'ENOTEMPTY') throw error;
      await sleep(100);
    }
  }
}
