import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../bundle.js';
import { emptyDirectory } from '../helpers/directory.ts';
import { type Ended, type Project, repositoryFile, runProgram, ZWARM } from '../helpers/project.ts';

/** The modules of Node that a command has loaded, such as `fs`, and the paths that it opened, looked at and listed. */
export interface Probed extends Record<'builtins' | 'opened' | 'lookedAt' | 'listed', readonly string[]> {
  /** The parts of zwarm, by their names in the bundle. */
  readonly parts: readonly { readonly name: string; readonly bytes: number }[];
  /** Bytes that were read of a file. */
  readonly read: Readonly<Record<string, number>>;
}

/** Runs the built zwarm, as a program does that reads its output, and looks over its shoulder; it must succeed. */
export async function probe(project: Project, args: readonly string[]): Promise<Probed & Ended> {
  const report = join(emptyDirectory(), 'report.json');
  const argv = ['--require', repositoryFile('test/guards/probe.cjs'), ZWARM, ...args];
  const env = { ...project.env, PROBE: report };
  const ended = await runProgram(process.execPath, argv, { cwd: project.directory, env });
  if (ended.code !== 0) throw new Error(`zwarm ${args.join(' ')} ended with ${ended.code}: ${ended.stderr}`);
  return { ...ended, ...JSON.parse(readFileSync(report, 'utf8')) };
}

/** The source files in each part of the bundle, `src/…` and `node_modules/…`. */
export async function sourcesOfParts(): Promise<(part: string) => readonly string[]> {
  const { metafile } = await bundle(['src/main.ts', 'src/index.ts'].map(repositoryFile));
  return (part) => {
    const output = metafile.outputs[part];
    if (output === undefined) throw new Error(`dist/ is older than the sources: it has a part ${part}`);
    return Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [path.replace(/^.*?(src|node_modules)\//, '$1/')] : [],
    );
  };
}
