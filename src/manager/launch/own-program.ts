import { realpathSync } from 'node:fs';
import { delimiter } from 'node:path';
import type { CommandLine } from '../../core/program.ts';
import { lookUp } from '../../process/find-program.ts';
import type { ManagerContext } from '../context.ts';

const NAME = 'zwarm';

/** What npm and npx put on the PATH of what they run: whoever starts us later does not have that. */
const OF_NPM = /\/node_modules\/\.bin\/?$/;

/**
 * How another program, on another day, starts this installation with these arguments: by its name where the PATH leads
 * to it, else by absolute paths that hold on this machine alone.
 */
export function ownProgram(
  { env, paths }: Pick<ManagerContext, 'env' | 'paths'>,
  args: readonly string[],
): CommandLine {
  const lasting = (env['PATH'] ?? '').split(delimiter).filter((place) => !OF_NPM.test(place));
  const found = lookUp(NAME, lasting.join(delimiter));
  if (found !== null && realpathSync(found) === realpathSync(paths.cli)) return { command: NAME, args };
  return { command: paths.node, args: [paths.cli, ...args] };
}
