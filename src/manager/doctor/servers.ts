import { statSync } from 'node:fs';
import { type Finding, finding } from '../../core/check.ts';
import { runningScripts } from '../../process/running-scripts.ts';
import type { ManagerContext } from '../context.ts';

/** Whether a server of the tools still runs the code of an older installation: a host starts it once, and keeps it. */
export function checkServers({ paths, now }: ManagerContext): Finding {
  const servers = runningScripts(paths.cli, 'mcp');
  if (servers === null) return finding('skipped', 'this system does not show what processes run');
  // Of the change, not of the content: a package says of all its files that they are from 1985.
  const installedMs = now() - statSync(paths.cli).ctimeMs;
  const older = servers.filter(({ ageMs }) => ageMs > installedMs);
  if (older.length === 0)
    return finding('ok', `${servers.length} of zwarm mcp, none older than this installation`);
  const pids = older.map(({ pid }) => pid).join(', ');
  return finding(
    'warning',
    `zwarm mcp runs since before this version was installed (pid ${pids})`,
    'restart the program that started it: Codex, Claude Code, an editor',
  );
}
