import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { IS_ROOT } from './as-root.ts';
import {
  createShellProject,
  type OnFinished,
  processesBelow,
  type RunOptions,
  repositoryFile,
  runProgram,
} from './project.ts';

/** Copies the built zwarm, and more, below `base`: other users may not reach this checkout. The copy's directory. */
export function installForAll(base: string, ...more: readonly string[]): string {
  const installed = join(base, 'installed');
  for (const part of ['bin', 'dist', 'package.json', ...more]) {
    cpSync(repositoryFile(part), join(installed, part), { recursive: true });
  }
  chmodSync(base, 0o755);
  // Whatever the umask that this checkout was made with.
  execFileSync('chmod', ['-R', 'a+rX', installed]);
  return installed;
}

const NOBODY = 65_534;

/** A shell project of a user whom permissions bind; root would pass every one of them, and so runs zwarm as nobody. */
export function createOrdinaryProject(...finished: [] | [OnFinished]) {
  const project = createShellProject('project', ...finished);
  const { base, directory } = project;
  const installed = installForAll(base, 'fixtures/shell-agent');
  const beside = [base, directory, join(base, 'home'), join(base, 'tmp')];
  if (IS_ROOT) for (const path of beside) chownSync(path, NOBODY, NOBODY);
  return {
    ...project,
    /** Runs zwarm as that user. */
    ordinary(args: readonly string[], umask = '0022', env: RunOptions['env'] = {}) {
      const command = ['sh', process.execPath, join(installed, 'bin/zwarm.js'), ...args];
      return runProgram('/bin/sh', ['-c', `umask ${umask}; exec "$@"`, ...command], {
        cwd: directory,
        env: { ...project.env, ZWARM_CODEX_BIN: join(installed, 'fixtures/shell-agent'), ...env },
        ...(IS_ROOT ? { uid: NOBODY } : {}),
      });
    },
    /** Ends all that runs there: root may not act in the project of another user. */
    endAll: () => processesBelow(base).forEach((pid) => void process.kill(pid, 'SIGKILL')),
  };
}
