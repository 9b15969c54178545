import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { repositoryFile } from './helpers/project.ts';

/** What the build reads. */
const SOURCES = [
  'src',
  'build.js',
  'bundle.js',
  'man-pages.js',
  'docs/formats.md',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.types.json',
];

/** When a file, or anything in a directory, was last changed or removed. */
function changedAt(path: string): number {
  const { mtimeMs } = statSync(path);
  const entries = statSync(path).isDirectory() ? readdirSync(path) : [];
  return Math.max(mtimeMs, ...entries.map((name) => changedAt(join(path, name))));
}

function build(): void {
  // What it writes last.
  const built = statSync(repositoryFile('dist/THIRD-PARTY-LICENSES.txt'), { throwIfNoEntry: false });
  if (built && SOURCES.every((path) => changedAt(repositoryFile(path)) < built.mtimeMs)) return;
  execFileSync(process.execPath, ['build.js'], { cwd: repositoryFile('.'), stdio: 'inherit' });
}

/**
 * Run once by vitest, before any test: many of them run what is built, which has to be what the sources say. They run a
 * copy of it, and of the agents that stand in for real ones: where this checkout lies, an agent may be able to write.
 */
export function setup(project: TestProject): () => void {
  build();
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'zwarm-installed-')));
  const install = (): void => {
    for (const part of ['bin', 'dist', 'package.json', 'fixtures'])
      cpSync(repositoryFile(part), join(copy, part), { recursive: true });
  };
  install();
  process.env['TEST_INSTALLATION'] = copy;
  project.onTestsRerun(() => {
    build();
    install();
  });
  return () => rmSync(copy, { recursive: true, force: true });
}
