import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { socketFilter } from '../core/socket-filter.ts';
import { isReplaceable, lookUp } from './find-program.ts';
import { ask } from './run.ts';

/** A program of the operating system that keeps others within limits. */
export interface Confiner {
  readonly name: 'bwrap' | 'sandbox-exec';
  readonly path: string;
}

/** What a confined process may write besides temporary files; absolute real paths. */
export interface Limits {
  /** Where it works. */
  readonly directory: string;
  /** Whether it may write there, but for these names. */
  readonly writes: boolean;
  readonly closed: readonly string[];
  /** Directories and files of its own state, which exist; and what lies in these and stays as it is. */
  readonly directories: readonly string[];
  readonly files: readonly string[];
  readonly kept: readonly string[];
}

/** A program with its arguments. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const ANSWER_MS = 5000;

/** What every process in a confinement of bwrap gets: its own processes, no rights, and no terminal to type into. */
const BWRAP_BASE = [
  ...['--unshare-pid', '--unshare-ipc', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
  // Root may write there without any right.
  ...['--ro-bind', '/proc/sys', '/proc/sys'],
];

/**
 * What can confine an agent's processes here, and works: `bwrap` on Linux, where its filter is known for the machine, or
 * macOS's `sandbox-exec`; else null. One in `project`, where an agent could have put it, does not count.
 */
export async function findConfiner(env: Environment, project: string): Promise<Confiner | null> {
  const works = async (path: string, args: readonly string[]): Promise<boolean> => {
    const answer = await ask(path, args, { cwd: '/', env, timeoutMs: ANSWER_MS }).catch(() => null);
    return answer?.code === 0;
  };
  if (process.platform === 'darwin') {
    const path = '/usr/bin/sandbox-exec';
    return (await works(path, ['-p', '(version 1)(allow default)', '/usr/bin/true']))
      ? { name: 'sandbox-exec', path }
      : null;
  }
  const path = lookUp('bwrap', env['PATH'] ?? '');
  if (path === null || filterHere() === null || isReplaceable(path, project)) return null;
  return (await works(path, [...BWRAP_BASE, '--', '/bin/true'])) ? { name: 'bwrap', path } : null;
}

/** The filter that `bwrap` is given on this machine. */
export const filterHere = (): Uint8Array | null => socketFilter(process.arch);

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** The names that are to stay closed in a directory and are not there: bwrap makes an empty directory for each. */
export function missingNames({ directory, writes, closed }: Limits): readonly string[] {
  return writes ? closed.filter((name) => !exists(join(directory, name))) : [];
}

/** A name that is to stay closed and is a link: neither can keep an agent from replacing that. */
export function linkAmong({ directory, writes, closed }: Limits): string | null {
  const isLink = (name: string): boolean =>
    lstatSync(join(directory, name), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return writes ? (closed.find(isLink) ?? null) : null;
}

function bwrapArgs(limits: Limits): readonly string[] {
  const { directory, writes, closed, directories, files, kept } = limits;
  const missing = missingNames(limits);
  const bind = (paths: readonly string[], how: string): string[] =>
    paths.flatMap((path) => [how, path, path]);
  const closedArgs = closed.flatMap((name) => {
    const path = join(directory, name);
    return missing.includes(name) ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', path, path];
  });
  return [
    ...BWRAP_BASE,
    // Also where it lies below /tmp, which is another one in there.
    ...(writes ? ['--bind', directory, directory, ...closedArgs] : ['--ro-bind', directory, directory]),
    ...bind(directories, '--bind'),
    ...bind(files, '--bind'),
    ...bind(kept, '--ro-bind'),
    ...['--chdir', directory],
  ];
}

/** A path in the language of `sandbox-exec`. */
const quoted = (path: string): string => `"${path.replace(/[\\"]/g, '\\$&')}"`;

/** The profile of `sandbox-exec`: the last rule that fits wins. Names are looked up by a socket, which stays open. */
export function seatbeltProfile(
  { directory, writes, closed, directories, files, kept }: Limits,
  temporary: string,
): string {
  const below = (paths: readonly string[]): string[] => paths.map((path) => `(subpath ${quoted(path)})`);
  const writable = [
    ...below([temporary, ...directories]),
    ...files.map((path) => `(literal ${quoted(path)})`),
  ];
  const forbidden = [...(writes ? closed.map((name) => join(directory, name)) : []), ...kept];
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* (subpath "/dev") ${[...(writes ? below([directory]) : []), ...writable].join(' ')})`,
    ...(forbidden.length === 0 ? [] : [`(deny file-write* ${below(forbidden).join(' ')})`]),
    '(deny network-outbound (subpath "/"))',
    '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
  ].join('\n');
}

/** What a confined program needs besides: the file of what `socketFilter` gives, its stdin, and where temporary files go. */
interface Surroundings {
  readonly filter: string;
  readonly input: string;
  readonly temporary: string;
}

/**
 * A call of a program as it is made within limits. For `bwrap`, a shell opens `filter`, as `bwrap` takes a descriptor.
 * Another one opens `input` within the limits: through a descriptor from outside, found in `/proc`, it could be written.
 */
export function confine(
  { name, path }: Confiner,
  limits: Limits,
  { program, args }: ProgramCall,
  { filter, input, temporary }: Surroundings,
): ProgramCall {
  if (name === 'sandbox-exec')
    return { program: path, args: ['-p', seatbeltProfile(limits, temporary), program, ...args] };
  const inside = ['/bin/sh', '-c', 'exec "$@" < "$0"', input, program, ...args];
  const bwrap = [path, '--seccomp', '9', ...bwrapArgs(limits), '--ro-bind', input, input, '--', ...inside];
  return { program: '/bin/sh', args: ['-c', 'exec "$@" 9< "$0" < /dev/null', filter, ...bwrap] };
}
