import { realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { AGENTS } from '../../agents/registry.ts';
import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import type { ServerLine } from '../../core/program.ts';
import { findGit, gitIn } from '../../git/git.ts';
import { lookUp } from '../../process/find-program.ts';
import { BEHIND_A_LINK, insideDirectory } from '../../process/inside-directory.ts';
import { flush, makeDirs, publishOnce, replaceFile } from '../../store/files.ts';
import { type Maker, requireOwnPlace } from '../../store/own-place.ts';
import { lookAt, readSmall } from '../../store/read-file.ts';
import type { Project } from '../../store/which-project.ts';
import type { ManagerContext } from '../context.ts';

/** Whether a file may be a link: a user's own may, one in a project an agent could have put there. */
export type Links = 'followed' | 'refused';

/** A file of another program's configuration, as it was read. */
export interface HostFile {
  readonly path: string;
  /** Where its links lead: what is replaced. */
  readonly real: string;
  readonly links: Links;
  readonly text: string | null;
  readonly mode: number;
}

function read(path: string, links: Links, uid: number): HostFile {
  const isLink = [dirname(path), path].some((one) => lookAt(one)?.isSymbolicLink());
  if (links === 'refused' && isLink) throw new Error(BEHIND_A_LINK);
  if (lookAt(path) === null) return { path, real: path, links, text: null, mode: 0o600 };
  const real = links === 'refused' ? path : realpathSync(path);
  const stat = lookAt(real);
  if (!stat?.isFile()) throw new Error('it is not a regular file');
  // What we put in its place would be ours, and might be closed to its owner.
  if (stat.uid !== uid) throw new Error('it belongs to another user');
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readSmall(real)?.bytes);
  return { path, real, links, text, mode: stat.mode & 0o777 };
}

function attempt<T>(path: string, what: string, hint: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof ZwarmError) throw error;
    throw new ZwarmError('io', `${path} cannot be ${what}: ${toZwarmError(error).message}`, hint, error);
  }
}

/**
 * Reads a host's file, whole, to be changed. `hint` says what to do where that cannot be done.
 * @throws ZwarmError `foreign_directory`, `io`
 */
export function readHostFile(maker: Maker, path: string, links: Links, hint: string): HostFile {
  requireOwnPlace(maker, path, `, or ${hint}`);
  return attempt(path, 'read', hint, () => read(path, links, maker.uid));
}

/** Replaces a host's file, or makes one for its user alone. @throws ZwarmError `io`, also where it was changed since */
export function writeHostFile(
  { uid, newNonce }: Pick<ManagerContext, 'uid' | 'newNonce'>,
  file: HostFile,
  text: string,
  hint: string,
): void {
  const { path, real, links, mode } = file;
  const changed = (): ZwarmError =>
    new ZwarmError('io', `${path} was changed in the meantime: nothing was written`, 'try again');
  const replace = (at: string, target: string): void => {
    if (read(at, links, uid).text !== file.text) throw changed();
    const temporary = join(dirname(target), `.zwarm-${newNonce()}`);
    if (file.text !== null) replaceFile(target, text, temporary, mode);
    else if (!publishOnce(target, text, temporary)) throw changed();
    flush(dirname(target));
  };
  attempt(path, 'written', hint, () => {
    if (file.text === null) makeDirs(dirname(real));
    if (links === 'refused') insideDirectory(dirname(path), () => replace(basename(path), basename(path)));
    else if (read(path, links, uid).real === real) replace(path, real);
    else throw changed();
  });
}

/** Whether git ignores a file; null outside of git, and where git does not say. */
export async function isIgnored(
  { env }: Pick<ManagerContext, 'env'>,
  { checkout, gitDir }: Project,
  file: string,
): Promise<boolean | null> {
  if (gitDir === null) return null;
  const args = ['check-ignore', '--quiet', '--', file];
  try {
    const git = gitIn({ gitDir, workTree: checkout }, findGit(env, [checkout]), env);
    return (await git(args, { codes: [1] })).code === 0;
  } catch {
    // There is no git, or the file lies outside of the checkout: it is only a remark.
    return null;
  }
}

const NAME = 'zwarm';

/** What npm and npx put on the PATH of what they run alone. */
const OF_NPM = /\/node_modules\/\.bin\/?$/;

/** How a host starts the server of this installation: by its name where the PATH leads to it, else by absolute paths. */
export function ownServer({ env, paths }: Pick<ManagerContext, 'env' | 'paths'>): ServerLine {
  const variables = AGENTS.flatMap(({ program }) => (program.kind === 'path' ? program.variable : []));
  const lasting = (env['PATH'] ?? '').split(delimiter).filter((directory) => !OF_NPM.test(directory));
  const found = lookUp(NAME, lasting.join(delimiter));
  if (found !== null && realpathSync(found) === realpathSync(paths.cli))
    return { command: NAME, args: ['mcp'], variables };
  return { command: paths.node, args: [paths.cli, 'mcp'], variables };
}
