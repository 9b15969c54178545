import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import * as z from 'zod/mini';
import { decodeOrNull, lenient } from '../core/decode.ts';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import { isWithin } from '../core/path.ts';
import type { ProgramQuery } from '../core/program.ts';
import { shellWord } from '../core/shell-word.ts';
import { ask } from './run.ts';

/** A program that exists and may be executed. */
export interface FoundProgram {
  /** Absolute path. */
  readonly path: string;
  /** Null where it is not known. */
  readonly version: string | null;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Not there, or in a directory that we may not read.
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return false;
  }
  return isFile(path);
}

function override(path: string, { variable }: ProgramQuery): string {
  if (!isAbsolute(path)) {
    throw new ZwarmError(
      'agent_not_found',
      `${variable} is not an absolute path: ${path}`,
      `set ${variable} to the full path`,
    );
  }
  if (!isFile(path)) {
    throw new ZwarmError(
      'agent_not_found',
      `${variable} names no file: ${path}`,
      `set ${variable} to the agent's program, or unset it`,
    );
  }
  if (isExecutable(path)) return path;
  throw new ZwarmError('agent_not_executable', `${path} may not be executed`, `chmod +x '${path}'`);
}

function candidatesOn(path: string, binary: string): string[] {
  // A relative entry would let the current directory choose the program.
  const directories = path.split(delimiter).filter(isAbsolute);
  return directories.map((directory) => join(directory, binary));
}

/** The first program of that name on a PATH, or null; relative entries do not count. */
export function lookUp(binary: string, path: string): string | null {
  return candidatesOn(path, binary).find(isExecutable) ?? null;
}

function onPath(query: ProgramQuery, path: string): string {
  const found = lookUp(query.binary, path);
  if (found !== null) return found;
  const present = candidatesOn(path, query.binary).find(isFile);
  if (present !== undefined) {
    throw new ZwarmError('agent_not_executable', `${present} may not be executed`, `chmod +x '${present}'`);
  }
  throw new ZwarmError(
    'agent_not_found',
    `${query.binary} was not found on your PATH`,
    `install it with \`${query.install}\`, or point ${query.variable} at it; to try zwarm without it: zwarm start -a demo "…"`,
  );
}

const packageJson = () => z.object({ name: z.string(), version: lenient(z.string()) });

/** The npm package that a file belongs to, if it is the package of the agent. */
function packageOf(file: string, name: string): { directory: string; version: string | null } | null {
  for (let at = dirname(file); dirname(at) !== at; at = dirname(at)) {
    try {
      const found = decodeOrNull(packageJson(), JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')));
      return found?.name === name ? { directory: at, version: found.version } : null;
    } catch (error) {
      const code = errnoOf(error);
      // Without descriptors we would not find the package, and run another program.
      if (code === 'EMFILE' || code === 'ENFILE') throw error;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') return null;
    }
  }
  return null;
}

type Environment = Readonly<Record<string, string | undefined>>;

const VERSION_LIMIT_MS = 5000;

/** The version that a program prints, or null where it prints none in time. */
async function askVersion(
  path: string,
  args: readonly string[],
  env: Environment,
  cwd: string,
): Promise<string | null> {
  const answer = await ask(path, args, { cwd, env, timeoutMs: VERSION_LIMIT_MS }).catch(() => null);
  return answer?.code === 0 ? (/\d+\.\d+\.\d+\S*/.exec(answer.stdout)?.[0] ?? null) : null;
}

/** Whether somebody who can write to `project`, a real path, can decide what runs as the program at `path`. */
export function isReplaceable(path: string, project: string): boolean {
  // What is on the PATH may be a link, whose directory decides as well.
  return [dirname(path), path].some((at) => isWithin(realpathSync(at), project));
}

/** An agent that may write in a whole home directory can replace any program: nothing that we could do stops it. */
function isAllOfHome(project: string, { HOME: home }: Environment): boolean {
  return home !== undefined && existsSync(home) && isWithin(realpathSync(home), project);
}

/**
 * The program of an agent: the one that its environment variable names, else the first on the PATH. Where that is the
 * script of an npm package that holds a native program, the native one. A program in `project` (a real path), where an
 * earlier agent may have put it, is refused unless the variable names it.
 * @throws ZwarmError `agent_not_found`, `agent_not_executable`, `program_unsafe`
 */
export async function findProgram(
  query: ProgramQuery,
  env: Environment,
  project: string,
): Promise<FoundProgram> {
  const named = env[query.variable];
  const path = named ? override(named, query) : onPath(query, env['PATH'] ?? '');
  if (!named && isReplaceable(path, project) && !isAllOfHome(project, env)) {
    throw new ZwarmError(
      'program_unsafe',
      `${path} is found in ${project}, where an agent could put another program in its place: nothing was run`,
      `take its directory out of your PATH, or say that you mean it: ${query.variable}=${shellWord(path)}`,
    );
  }
  const home = packageOf(realpathSync(path), query.packageName);
  if (home === null) return { path, version: await askVersion(path, query.versionArgs, env, project) };
  if (named) return { path, version: home.version };
  const natives = query.native(process.platform, process.arch).map((inner) => join(home.directory, inner));
  return { path: natives.find(isExecutable) ?? path, version: home.version };
}
