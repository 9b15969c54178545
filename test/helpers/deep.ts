import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { onTestFinished } from 'vitest';

/** Plants a tree that is deeper than a path can be; its topmost directory. Removed first when the test ends. */
export function plantDeepTree(directory: string): string {
  const name = '0'.repeat(200);
  onTestFinished(() => {
    if (existsSync(directory)) execFileSync('/bin/rm', ['-rf', name], { cwd: directory });
  });
  // By relative paths: an absolute one could neither be made nor removed.
  const script = 'while mkdir -m 700 "$1" 2> /dev/null && cd "$1" 2> /dev/null; do :; done';
  execFileSync('/bin/sh', ['-c', script, 'sh', name], { cwd: directory });
  return `${directory}/${name}`;
}
