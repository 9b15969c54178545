import { copyFileSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundle } from '../../bundle.js';
import { repositoryFile } from '../helpers/project.ts';
import { COUNTING_SYSCALLS, SYSCALLS } from './replace-syscalls.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of a zwarm that counts its calls, and of an agent for it. */
    installed: string;
  }
}

/** Builds a zwarm that counts its calls, for the tests that kill it at one of them; gone when all of them have run. */
export default async function setup(project: TestProject): Promise<() => void> {
  const installed = realpathSync(mkdtempSync(join(tmpdir(), 'zwarm-faults-')));
  mkdirSync(join(installed, 'dist'));
  const { text } = await bundle(
    [repositoryFile('src/main.ts')],
    [
      {
        name: 'counting-syscalls',
        setup: ({ onResolve }) => onResolve({ filter: SYSCALLS }, () => ({ path: COUNTING_SYSCALLS })),
      },
    ],
  );
  writeFileSync(join(installed, 'dist', 'parts.js'), text);
  cpSync(repositoryFile('bin'), join(installed, 'bin'), { recursive: true });
  copyFileSync(repositoryFile('package.json'), join(installed, 'package.json'));
  // In a package of Codex's name the version is read, not asked for: one process less for each turn.
  const agent = join(installed, 'agent');
  mkdirSync(agent);
  writeFileSync(join(agent, 'package.json'), '{ "name": "@openai/codex", "version": "0.169.0" }');
  copyFileSync(repositoryFile('fixtures/shell-agent'), join(agent, 'codex'));
  project.provide('installed', installed);
  return () => rmSync(installed, { recursive: true, force: true });
}
