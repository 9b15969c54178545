import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git } from './git.ts';
import { createShellProject, type OnFinished, type Project } from './project.ts';

/** A shell project in git, with a commit of these files on `main`. */
export function createRepository(
  files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' },
  name?: string,
  finished?: OnFinished,
): Project {
  const project = createShellProject(name, finished);
  git(project.directory, 'init', '-q', '-b', 'main');
  commitFiles(project.directory, files);
  return project;
}

/** Writes files in a checkout and commits all that is there. */
export function commitFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  git(directory, 'add', '-A');
  git(directory, 'commit', '-q', '--allow-empty', '-m', 'c');
}
