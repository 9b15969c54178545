import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import type { ProgramQuery } from '../core/program.ts';
import { outputOf } from './run.ts';

/** A program that exists and may be executed. */
export interface FoundProgram {
  /** Absolute path. */
  readonly path: string;
  /** Null when it could not be told. */
  readonly version: string | null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function override(path: string, { variable }: ProgramQuery): string {
  if (!isAbsolute(path)) {
    throw new ZwarmError(
      'agent_not_found',
      `${variable} is not an absolute path: ${path}`,
      `set ${variable} to the full path`,
    );
  }
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
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
  // A relative entry would let the directory that we happen to be in choose the program.
  const places = path.split(delimiter).filter(isAbsolute);
  return places.map((place) => join(place, binary));
}

/** The first program of that name on a PATH, or null; relative entries do not count. */
export function lookUp(binary: string, path: string): string | null {
  return candidatesOn(path, binary).find(isExecutable) ?? null;
}

function onPath(query: ProgramQuery, path: string): string {
  const found = lookUp(query.binary, path);
  if (found !== null) return found;
  const present = candidatesOn(path, query.binary).find((candidate) =>
    statSync(candidate, { throwIfNoEntry: false })?.isFile(),
  );
  if (present !== undefined) {
    throw new ZwarmError('agent_not_executable', `${present} may not be executed`, `chmod +x '${present}'`);
  }
  throw new ZwarmError(
    'agent_not_found',
    `${query.binary} was not found on your PATH`,
    `install it with \`${query.install}\`, or point ${query.variable} at it; to try zwarm without it: zwarm start -a demo "…"`,
  );
}

/** The npm package that a file belongs to, when it is the one that the agent is published as. */
function packageOf(file: string, name: string): { directory: string; version: string | null } | null {
  for (let at = dirname(file); dirname(at) !== at; at = dirname(at)) {
    try {
      const json: unknown = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
      if (typeof json !== 'object' || json === null || !('name' in json) || json.name !== name) return null;
      return {
        directory: at,
        version: 'version' in json && typeof json.version === 'string' ? json.version : null,
      };
    } catch (error) {
      const code = errnoOf(error);
      // Without descriptors nothing can be told, and what we made of that could be another program.
      if (code === 'EMFILE' || code === 'ENFILE') throw error;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') return null;
    }
  }
  return null;
}

async function askVersion(path: string, args: readonly string[]): Promise<string | null> {
  const answer = await outputOf(path, args, 5000);
  return /\d+\.\d+\.\d+\S*/.exec(answer ?? '')?.[0] ?? null;
}

/**
 * The program of an agent: the one that its environment variable names, else the first on the PATH, and of that the
 * native one where an npm package holds it beside its script.
 * @throws ZwarmError `agent_not_found`, `agent_not_executable`
 */
export async function findProgram(
  query: ProgramQuery,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FoundProgram> {
  const named = env[query.variable];
  const path = named ? override(named, query) : onPath(query, env['PATH'] ?? '');
  const home = packageOf(realpathSync(path), query.packageName);
  if (home === null) return { path, version: await askVersion(path, query.versionArgs) };
  if (named) return { path, version: home.version };
  const natives = query.native(process.platform, process.arch).map((inner) => join(home.directory, inner));
  return { path: natives.find(isExecutable) ?? path, version: home.version };
}
