import { realpathSync, statSync } from 'node:fs';
import { AGENTS } from '../../agents/registry.ts';
import { type Finding, finding } from '../../core/check.ts';
import { isNamedOrOnPath, lookUp } from '../../process/find-program.ts';
import { ask } from '../../process/run.ts';
import { runningScripts } from '../../process/running-scripts.ts';
import { gitStateOf } from '../../store/git.ts';
import type { ManagerContext } from '../context.ts';

/** The oldest Node that zwarm works with, as `engines` in `package.json` says. */
const OLDEST = [20, 12] as const;

/** Whether a version of Node, such as `20.12.0`, is new enough. */
export function checkNode(version: string, path: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  if (enough) return finding('ok', `${version}, ${path}`);
  return finding(
    'failed',
    `Node ${version} (${path}) is too old`,
    `install Node ${OLDEST.join('.')} or newer`,
  );
}

/** Whether git is there, and new enough to merge. To start an agent zwarm does without it: it reads repositories by itself. */
export async function checkGit({ cwd, env }: ManagerContext, timeoutMs: number): Promise<Finding> {
  const path = lookUp('git', env['PATH'] ?? '');
  if (path === null)
    return finding('warning', 'git was not found on your PATH', 'install git: agents work with it');
  const { code, stdout, stderr } = await ask(path, ['--version'], { cwd, env, timeoutMs });
  const version = /\d+\.\d+\S*/.exec(stdout)?.[0];
  if (code === 0 && version !== undefined) {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major > 2 || (major === 2 && minor >= 38)) return finding('ok', `${version}, ${path}`);
    const hint = 'update git: undo and land merge with 2.38 or newer';
    return finding('warning', `${version} (${path}) is too old for some commands`, hint);
  }
  const output = (stderr || stdout).trim().split('\n', 1)[0];
  return finding('warning', `${path} does not work: ${output || `exit code ${code}`}`, 'install git again');
}

/** Whether the current directory lies in a repository, outside of which some of the agents that are here refuse to work. */
export function checkRepository({ cwd, env }: ManagerContext): Finding {
  const directory = realpathSync(cwd);
  const git = gitStateOf(directory);
  if (git !== null) return finding('ok', git.root);
  const what = `${directory} lies in no git repository`;
  const insists = AGENTS.flatMap(({ name, program, readArguments }) => {
    const { outsideOfGit } = readArguments([]);
    const isHere = isNamedOrOnPath(program, env);
    return outsideOfGit === null || !isHere ? [] : [{ name, argument: `--agent-arg=${outsideOfGit}` }];
  });
  if (insists.length === 0) return finding('note', what, 'git init, for diff, undo and worktrees');
  const names = insists.map(({ name }) => name).join(' and ');
  const without = insists.map(({ name, argument }) => `zwarm start -a ${name} ${argument} "…"`).join(' or ');
  return finding('warning', `${what}: there ${names} will not work`, `git init; or go without: ${without}`);
}

/** Whether a server of the tools still runs the code of an older installation: a host starts it once, and keeps it. */
export function checkServers({ paths, now }: ManagerContext): Finding {
  const servers = runningScripts(paths.cli, 'mcp');
  if (servers === null) return finding('skipped', 'this system does not show what processes run');
  // Of the change, not of the content: a package says of all its files that they are from 1985.
  const installedMs = now() - statSync(paths.cli).ctimeMs;
  const older = servers.filter(({ ageMs }) => ageMs > installedMs);
  if (older.length === 0)
    return finding(
      'ok',
      servers.length === 0 ? 'no zwarm mcp runs' : `${servers.length} of zwarm mcp, all of this version`,
    );
  const pids = older.map(({ pid }) => pid).join(', ');
  const what = `zwarm mcp runs since before this version was installed (pid ${pids})`;
  return finding('warning', what, 'restart the program that started it: Codex, Claude Code, an editor');
}
