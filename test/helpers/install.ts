import { chmodSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFile } from './project.ts';

/**
 * Copies the built zwarm, and more of this checkout, below `base`, where other users reach it: this checkout may lie in
 * a directory that is closed to them. The copy's directory.
 */
export function installForAll(base: string, ...more: readonly string[]): string {
  const installed = join(base, 'installed');
  for (const part of ['bin', 'dist', 'package.json', ...more]) {
    cpSync(repositoryFile(part), join(installed, part), { recursive: true });
  }
  chmodSync(base, 0o755);
  return installed;
}
