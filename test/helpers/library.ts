import { join } from 'node:path';
import { type OpenOptions, openSessions } from '../../src/index.ts';
import { place } from './config.ts';
import type { Project } from './project.ts';

/** Opens the sessions of a project by the library of these sources, which may lie where its agents can write. */
export function openLibrary(
  { directory: cwd, env }: Pick<Project, 'directory' | 'env'>,
  options: OpenOptions = {},
) {
  place(join(env['HOME'] ?? '', '.config/zwarm/config.toml'), 'reachable_installation = true\n');
  return openSessions({ cwd, env, ...options });
}
