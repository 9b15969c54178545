import { realpathSync } from 'node:fs';
import { type Finding, finding } from '../../core/check.ts';
import { lookUp } from '../../process/find-program.ts';
import { ask } from '../../process/run.ts';
import { gitStateOf } from '../../store/git.ts';
import type { ManagerContext } from '../context.ts';

/** Whether git is there. zwarm reads repositories by itself; agents and people want it. */
export async function checkGit({ cwd, env }: ManagerContext, timeoutMs: number): Promise<Finding> {
  const path = lookUp('git', env['PATH'] ?? '');
  if (path === null) {
    return finding('warning', 'git was not found on your PATH', 'install git: agents work with it');
  }
  const { code, stdout, stderr } = await ask(path, ['--version'], { cwd, env, timeoutMs });
  const version = /\d+\.\d+\S*/.exec(stdout)?.[0];
  if (code === 0 && version !== undefined) return finding('ok', `${version}, ${path}`);
  const output = (stderr || stdout).trim().split('\n', 1)[0];
  return finding('warning', `${path} does not work: ${output || `exit code ${code}`}`, 'install git again');
}

/** Whether the current directory lies in a repository, outside of which some agents refuse to work. */
export function checkRepository({ cwd }: ManagerContext): Finding {
  const directory = realpathSync(cwd);
  const git = gitStateOf(directory);
  if (git !== null) return finding('ok', git.root);
  return finding(
    'warning',
    `${directory} lies in no git repository: there Codex refuses to work`,
    'git init; or go without: zwarm start --agent-arg=--skip-git-repo-check "…"',
  );
}
