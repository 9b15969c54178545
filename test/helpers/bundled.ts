import { join } from 'node:path';
import { build } from 'esbuild';
import { emptyDirectory } from './directory.ts';
import { repositoryFile } from './project.ts';

/** Makes a program for Node of a source text, which imports from `./src`; its path. */
export async function bundled(contents: string): Promise<string> {
  const outfile = join(emptyDirectory(), 'program.mjs');
  await build({
    stdin: { contents, loader: 'ts', resolveDir: repositoryFile('.') },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return outfile;
}
