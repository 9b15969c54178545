import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyDirectory } from './directory.ts';
import { installedFile } from './project.ts';

/** A copy of what is installed; removed when the test ends. */
export function install(): string {
  const directory = emptyDirectory();
  mkdirSync(join(directory, 'dist'));
  for (const path of ['bin', 'package.json', 'dist/parts.js'])
    cpSync(installedFile(path), join(directory, path), { recursive: true });
  return directory;
}

/**
 * Makes an installation another program of the same length, whose help says `boring` for `coding`; `build` gives its new
 * name for that of the build. What Node compiles of it, Node would take for what it compiles of the honest one.
 */
export function makeBoring(installed: string, build = (name: string): string => name): void {
  const parts = join(installed, 'dist/parts.js');
  const text = readFileSync(parts, 'latin1');
  const name = /"build":"([0-9a-f]{16})"/.exec(text)?.[1] ?? '';
  const boring = text.replace('Run coding agents', 'Run boring agents').replace(name, build(name));
  if (boring === text || boring.length !== text.length) throw new Error(`${parts} is not as it was`);
  writeFileSync(parts, boring);
}

/** Which of the two a help page is of. */
export const kindOf = (help: string): string | undefined => /Run (\w+) agents/.exec(help)?.[1];
