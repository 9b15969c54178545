import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import * as z from 'zod/mini';
import { decodeOrNull, lenient } from '../core/decode.ts';
import { isErrno, ZwarmError } from '../core/errors.ts';
import { isWithin } from '../core/path.ts';
import type { ProgramQuery } from '../core/program.ts';
import { shellWord } from '../core/shell-word.ts';
import { ask } from './run.ts';

type Environment = Readonly<Record<string, string | undefined>>;

function isFile(path: string, mode = constants.F_OK): boolean {
  try {
    accessSync(path, mode);
    return statSync(path).isFile();
  } catch {
    // Not there, not so, or in a directory that we may not read.
    return false;
  }
}

const isExecutable = (path: string): boolean => isFile(path, constants.X_OK);

const notFound = (what: string, hint: string) => new ZwarmError('agent_not_found', what, hint);

function requireExecutable(path: string): string {
  if (isExecutable(path)) return path;
  throw new ZwarmError('agent_not_executable', `${path} may not be executed`, `chmod +x '${path}'`);
}

/** A script whose interpreter is missing: the system says of it what it says of a missing program. */
function notRunnable(path: string, { variable }: ProgramQuery): ZwarmError {
  const what = `${path} cannot be run: the program that it is to be run by is missing`;
  return new ZwarmError(
    'agent_not_executable',
    what,
    `see its first line, or point ${variable} at another one`,
  );
}

function override(path: string, { variable }: ProgramQuery): string {
  if (!isAbsolute(path))
    throw notFound(`${variable} is not an absolute path: ${path}`, `set ${variable} to the full path`);
  if (!isFile(path))
    throw notFound(
      `${variable} names no file: ${path}`,
      `set ${variable} to the agent's program, or unset it`,
    );
  return requireExecutable(path);
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

/** Whether a program is named by its variable, or is on the PATH; part of this package, it always is. */
export function isNamedOrOnPath(
  program: ({ readonly kind: 'path' } & ProgramQuery) | { readonly kind: 'embedded' },
  env: Environment,
): boolean {
  if (program.kind === 'embedded') return true;
  return Boolean(env[program.variable]) || lookUp(program.binary, env['PATH'] ?? '') !== null;
}

function onPath({ binary, install, variable }: ProgramQuery, path: string): string {
  const found = lookUp(binary, path) ?? candidatesOn(path, binary).find((one) => isFile(one));
  if (found !== undefined) return requireExecutable(found);
  throw notFound(
    `${binary} was not found on your PATH`,
    `install it with \`${install}\`, or point ${variable} at it; to try zwarm without it: zwarm start -a demo "…"`,
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
      // Without descriptors we would not find the package, and run another program.
      if (isErrno(error, 'EMFILE', 'ENFILE')) throw error;
      if (!isErrno(error, 'ENOENT', 'ENOTDIR')) return null;
    }
  }
  return null;
}

const VERSION_LIMIT_MS = 5000;

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
 * The absolute path of an agent's program, and its version if that is known: the one that its variable names, else the
 * first on the PATH, or the native program of its npm package. One in `project` (a real path), where an earlier agent may
 * have put it, is refused. @throws ZwarmError `agent_not_found`, `agent_not_executable`, `program_unsafe`
 */
export async function findProgram(
  query: ProgramQuery,
  env: Environment,
  project: string,
): Promise<{ path: string; version: string | null }> {
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
  if (home === null) {
    const options = { cwd: project, env, timeoutMs: VERSION_LIMIT_MS };
    const answer = await ask(path, ['--version'], options).catch((error: unknown) => {
      if (isErrno(error, 'ENOENT')) throw notRunnable(path, query);
      return null;
    });
    const version = answer?.code === 0 ? /\d+\.\d+\.\d+\S*/.exec(answer.stdout)?.[0] : undefined;
    return { path, version: version ?? null };
  }
  if (named) return { path, version: home.version };
  const natives = query.native(process.platform, process.arch).map((inner) => join(home.directory, inner));
  return { path: natives.find(isExecutable) ?? path, version: home.version };
}
