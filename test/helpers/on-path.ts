import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../../src/core/shell-word.ts';
import { type Project, ZWARM } from './project.ts';

/** Lets the shells of a project find the built zwarm. */
export function withZwarmOnPath({ base, env }: Pick<Project, 'base' | 'env'>): void {
  const programs = join(base, 'programs');
  mkdirSync(programs);
  const script = join(programs, 'zwarm');
  writeFileSync(script, `#!/bin/sh\nexec ${shellWord(process.execPath)} ${shellWord(ZWARM)} "$@"\n`);
  chmodSync(script, 0o755);
  env['PATH'] = `${programs}:${env['PATH']}`;
}
