import { accessSync, constants, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { AgentAdapter, PathArgument, PathKind } from '../../agents/agent.ts';
import { usageError } from '../../core/errors.ts';
import { withoutLinks } from '../../store/real-path.ts';
import type { SessionRecord } from '../../store/records.ts';

const { R_OK, W_OK, X_OK } = constants;

/** What is wrong with a path where something is to be; null where nothing is. @throws Error of the system */
function problemWith(path: string, is: PathKind): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (is === 'new file') {
    if (found?.isDirectory()) return 'is a directory';
    accessSync(found === undefined ? dirname(path) : path, found === undefined ? W_OK | X_OK : W_OK);
    return null;
  }
  if (found === undefined) return 'is not there';
  const kinds = [...(found.isFile() ? ['file'] : []), ...(found.isDirectory() ? ['directory'] : [])];
  if (!is.split(' or ').some((kind) => kinds.includes(kind))) return `is not a ${is}`;
  accessSync(path, found.isDirectory() ? R_OK | X_OK : R_OK);
  return null;
}

function whyNot(path: string, { is, divider }: PathArgument): string | null {
  try {
    const problem = problemWith(path, is);
    if (problem !== null || divider === null || !path.includes(divider)) return problem;
    return `has a ${divider} in it, at which the program divides it`;
  } catch {
    return `cannot be ${is === 'new file' ? 'written' : 'read'}`;
  }
}

/** The absolute path of what somebody names who is in a directory: where a link leads elsewhere, `..` is above that. */
function absolutePath(from: string, typed: string): string {
  const path = isAbsolute(typed) ? typed : `${from}/${typed}`;
  return join(withoutLinks(dirname(path)), basename(path));
}

/**
 * The user's arguments for an agent's program, which can be passed on: what they name is there now, and is named by an
 * absolute path, as the program runs in another directory than the caller's, `from`. `isThere`: nobody looks.
 * @throws ZwarmError `usage`
 */
export function placeArguments(
  { readArguments, placePaths }: AgentAdapter,
  args: readonly string[],
  from: string,
  isThere = false,
): readonly string[] {
  const { refused } = readArguments(args);
  if (refused !== null) {
    const { argument, why, hint } = refused;
    throw usageError(`--agent-arg=${argument} cannot be passed on: ${why}`, hint);
  }
  return placePaths(args, (argument) => {
    const { option, path: typed, divider } = argument;
    const also = divider === null ? '' : ` (a "${divider}" divides two of them)`;
    const hint = `name another path: --agent-arg=${option}=PATH${also}`;
    if (typed === '') throw usageError(`${option} cannot be passed on: a path of it is empty`, hint);
    const path = absolutePath(from, typed);
    const why = isThere ? null : whyNot(path, argument);
    if (why === null) return path;
    throw usageError(`${option} ${typed} cannot be passed on: ${path} ${why}`, hint);
  });
}

/**
 * The arguments of a turn, and those that its new thread does not get, as what they name is no longer there. A thread that
 * goes on has kept it.
 */
export function argumentsOfTurn(
  adapter: AgentAdapter,
  { agent_args: args, working_dir: directory }: Pick<SessionRecord, 'agent_args' | 'working_dir'>,
  isNewThread: boolean,
) {
  const { newThread, everyTurn } = adapter.readArguments(args);
  const given = isNewThread ? newThread : [];
  const isGone = (arg: string): boolean => {
    const problems: (string | null)[] = [];
    adapter.placePaths([arg], (argument) => {
      problems.push(whyNot(resolve(directory, argument.path), argument));
      return argument.path;
    });
    return problems.some((problem) => problem !== null);
  };
  const gone = given.filter(isGone);
  return { agentArgs: [...given.filter((arg) => !gone.includes(arg)), ...everyTurn], gone };
}
