import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configFiles, loadConfiguration } from '../../src/config/load.ts';
import { emptyDirectory } from './directory.ts';

/** Writes a file and the directories above it. */
export function place(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** A home and a project with configuration of their own; a text that is left out is a file that is not there. */
export function configured(texts: { readonly user?: string; readonly project?: string } = {}) {
  const base = emptyDirectory();
  const [home, projectRoot] = [join(base, 'home'), join(base, 'project')];
  for (const path of [home, projectRoot]) mkdirSync(path);
  const env: Record<string, string | undefined> = { HOME: home };
  const files = configFiles({ env, projectRoot });
  const user = files.user ?? '';
  if (texts.user !== undefined) place(user, texts.user);
  if (texts.project !== undefined) place(files.project, texts.project);
  const load = (more: typeof env = {}) => loadConfiguration({ env: { ...env, ...more }, projectRoot });
  return { home, projectRoot, user, project: files.project, env, load };
}
