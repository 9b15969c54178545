import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { AgentAdapter, PathArgument, PathKind } from '../../agents/agent.ts';
import { usageError } from '../../core/errors.ts';

/** What is wrong with a path of which something is to be there; null where nothing is. */
function problemWith(path: string, is: PathKind): string | null {
  if (is === 'new file') {
    const problem = problemWith(dirname(path), 'directory');
    return problem === null ? null : 'is in a directory that is not there, or closed to you';
  }
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 'is not there';
  const kinds = [...(found.isFile() ? ['file'] : []), ...(found.isDirectory() ? ['directory'] : [])];
  if (!is.split(' or ').some((kind) => kinds.includes(kind))) return `is not a ${is}`;
  accessSync(path, constants.R_OK);
  return null;
}

function whyNot(path: string, { is, divider }: PathArgument): string | null {
  try {
    const problem = problemWith(path, is);
    if (problem !== null || divider === null || !path.includes(divider)) return problem;
    return `has a ${divider} in it, at which the program divides it`;
  } catch {
    return 'cannot be read';
  }
}

/**
 * The user's arguments for an agent's program, which can be passed on: what they name is there now, and is named by an
 * absolute path, as the program runs in another directory than the caller's, `from`. @throws ZwarmError `usage`
 */
export function placeArguments(
  { readArguments, placePaths }: AgentAdapter,
  args: readonly string[],
  from: string,
): readonly string[] {
  const { refused } = readArguments(args);
  if (refused !== null) {
    const { argument, why, hint } = refused;
    throw usageError(`--agent-arg=${argument} cannot be passed on: ${why}`, hint);
  }
  return placePaths(args, (argument) => {
    const { option, path: typed, divider } = argument;
    const path = resolve(from, typed);
    const why = typed === '' ? 'names nothing' : whyNot(path, argument);
    if (why === null) return path;
    const also = divider === null ? '' : ` (a "${divider}" divides two of them)`;
    const hint = `name another path: --agent-arg=${option}=PATH${also}`;
    throw usageError(`${option} ${typed} cannot be passed on: ${typed && path} ${why}`, hint);
  });
}
