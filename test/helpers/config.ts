import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Configuration, configFiles, loadConfiguration } from '../../src/config/load.ts';
import { emptyDirectory } from './directory.ts';

/** A home and a project with configuration of their own. */
export interface Configured {
  readonly home: string;
  /** A real path. */
  readonly projectRoot: string;
  /** The paths of both files. */
  readonly user: string;
  readonly project: string;
  readonly env: Record<string, string | undefined>;
  load(env?: Readonly<Record<string, string | undefined>>): Promise<Configuration>;
}

/** Writes a file and the directories above it. */
export function place(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** A home and a project; a text that is left out is a file that is not there. */
export function configured(texts: { readonly user?: string; readonly project?: string } = {}): Configured {
  const base = emptyDirectory();
  const home = join(base, 'home');
  const projectRoot = join(base, 'project');
  mkdirSync(home);
  mkdirSync(projectRoot);
  const env = { HOME: home };
  const files = configFiles({ env, projectRoot });
  const user = files.user ?? '';
  if (texts.user !== undefined) place(user, texts.user);
  if (texts.project !== undefined) place(files.project, texts.project);
  return {
    home,
    projectRoot,
    user,
    project: files.project,
    env,
    load: (more = {}) => loadConfiguration({ env: { ...env, ...more }, projectRoot }),
  };
}
