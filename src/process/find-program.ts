import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
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
  throw new ZwarmError('agent_not_executable', `${path} may not be executed`, `chmod +x ${shellWord(path)}`);
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

/**
 * Where a program of that name would be found on a PATH, up to where it is; everywhere, where it is nowhere. What might
 * come before it in `project` is left out: whoever works there runs none from there.
 */
export function lookedUpAt(binary: string, path: string, project: string): readonly string[] {
  const candidates = candidatesOn(path, binary);
  const at = candidates.findIndex(isExecutable);
  const isInProject = (candidate: string): boolean => {
    const directory = dirname(candidate);
    return isWithin(existsSync(directory) ? realpathSync(directory) : directory, project);
  };
  const before = candidates.slice(0, at === -1 ? undefined : at);
  return [...before.filter((one) => !isInProject(one)), ...candidates.slice(at, at + 1)];
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
    const file = join(at, 'package.json');
    // To read a pipe would take for ever.
    if (!isFile(file)) continue;
    try {
      const found = decodeOrNull(packageJson(), JSON.parse(readFileSync(file, 'utf8')));
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

/** Far more than any script has, in bytes. */
const SCRIPT_LIMIT = 1 << 20;

/** The word that `env` would look up on the PATH: the first that is no option, nor a value of one, nor a variable. */
function wordOfEnv(line: string): string {
  const words = line.replace(/-\w*S|--split-string=|["']/g, ' ').split(/\s+/);
  const isValue = (at: number): boolean => /^-[uC]$/.test(words[at - 1] ?? '');
  const isCommand = (word: string, at: number): boolean =>
    word !== '' && !word.startsWith('-') && !word.includes('=') && !isValue(at) && basename(word) !== 'env';
  return words.find(isCommand) ?? '';
}

/** Where the program by which a script is run would be found; nothing for one that needs none. */
function interpretersOf(file: string, env: Environment, project: string): readonly string[] {
  // One that we may run and not read is no script.
  if (!isFile(file, constants.R_OK) || statSync(file).size > SCRIPT_LIMIT) return [];
  const [, program, line = ''] = /^#![ \t]*(\S+)[ \t]*([^\n]*)/.exec(readFileSync(file, 'latin1')) ?? [];
  if (program === undefined) return [];
  if (basename(program) !== 'env') return [program];
  const word = wordOfEnv(line);
  return word.includes('/') ? [word] : lookedUpAt(word, env['PATH'] ?? '', project);
}

/**
 * Looks for an agent's program, and runs nothing: what was found, what will run, and the npm package that it is part of.
 * One in `project` (a real path), where an earlier agent may have put it, is refused, unless its variable names it.
 * @throws ZwarmError `agent_not_found`, `agent_not_executable`, `program_unsafe`
 */
function locate(query: ProgramQuery, env: Environment, project: string) {
  const named = env[query.variable];
  const found = named ? override(named, query) : onPath(query, env['PATH'] ?? '');
  const unsafe = (program: string, otherwise: string): ZwarmError => {
    const what = `${program} is found in ${project}, where an agent could put another program in its place: nothing was run`;
    return new ZwarmError('program_unsafe', what, `take its directory out of your PATH${otherwise}`);
  };
  const isSafe = (program: string): boolean => !isReplaceable(program, project) || isAllOfHome(project, env);
  if (!named && !isSafe(found))
    throw unsafe(found, `, or say that you mean it: ${query.variable}=${shellWord(found)}`);
  const home = packageOf(realpathSync(found), query.packageName);
  const natives =
    named || home === null
      ? []
      : query.native(process.platform, process.arch).map((inner) => join(home.directory, inner));
  const path = natives.find(isExecutable) ?? found;
  const interpreters = interpretersOf(path, env, project);
  const runs = interpreters.at(-1) ?? '';
  if (lookUp(basename(runs), env['PATH'] ?? '') === runs && !isSafe(runs)) throw unsafe(runs, '');
  return { found, path, home, interpreters };
}

/**
 * The files and directories that decide what runs as an agent's program: itself, its package, the program that runs a
 * script, and where others of their names would be found before them. @throws ZwarmError as `findProgram`
 */
export function programFiles(query: ProgramQuery, env: Environment, project: string): readonly string[] {
  const { found, path, home, interpreters } = locate(query, env, project);
  const before = env[query.variable] ? [] : lookedUpAt(query.binary, env['PATH'] ?? '', project);
  return [...before, found, path, ...(home === null ? [] : [home.directory]), ...interpreters];
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
  const { path, home } = locate(query, env, project);
  if (home !== null) return { path, version: home.version };
  const options = { cwd: project, env, timeoutMs: VERSION_LIMIT_MS };
  const answer = await ask(path, ['--version'], options).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) throw notRunnable(path, query);
    return null;
  });
  const version = answer?.code === 0 ? /\d+\.\d+\.\d+\S*/.exec(answer.stdout)?.[0] : undefined;
  return { path, version: version ?? null };
}
