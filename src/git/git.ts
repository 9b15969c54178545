import { ZwarmError } from '../core/errors.ts';
import { isReplaceable, lookUp } from '../process/find-program.ts';
import { askBytes } from '../process/run.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where git works: absolute paths from a record or from `store/git`, never found by git in what an agent wrote. */
export interface Repository {
  /** The git directory: of a linked worktree its own, in `<common>/worktrees`. */
  readonly gitDir: string;
  /** The root of the files; null where they do not matter. */
  readonly workTree: string | null;
  /** Where everything in it is for the user alone, whatever the umask; files of the work tree are not made with it. */
  readonly isPrivate?: boolean;
}

/** What one call of git may need besides its arguments. */
export interface GitOptions {
  /** What it reads on stdin. */
  readonly input?: string | Uint8Array;
  /** More variables: a private index, a private object directory, an author. */
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes other than 0 that are an answer. */
  readonly codes?: readonly number[];
  /** How long it may take, in milliseconds: 60,000 where nothing else is said. */
  readonly timeoutMs?: number;
}

/** What git printed, as bytes: paths need not be UTF-8. */
export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs git in one repository. @throws ZwarmError `git_failed` with git's own words */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitAnswer>;

const TIMEOUT_MS = 60_000;
/** The most bytes of an answer that are kept in memory. */
const OUTPUT_LIMIT = 1 << 28;

/** What a repository could have git run or change behind our back, switched off for each call. */
const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'protocol.ext.allow=never',
].flatMap((setting) => ['-c', setting]);

function environmentOf(env: Environment, { gitDir, workTree }: Repository): Environment {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(others),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_DIR: gitDir,
    ...(workTree === null ? {} : { GIT_WORK_TREE: workTree }),
  };
}

/** git's own words of what went wrong, without the word that begins them. */
function reasonOf({ code, stderr }: GitAnswer): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((one) => /^(fatal|error): /.test(one)) ?? lines[0];
  return line?.replace(/^(fatal|error): /, '') ?? `it ended with ${code}`;
}

/**
 * The git program of a user's PATH. One in a directory of `writable` (real paths), where an agent may have put it, is not
 * used. @throws ZwarmError `git_failed`, `program_unsafe`
 */
export function findGit(env: Environment, writable: readonly string[]): string {
  const program = lookUp('git', env['PATH'] ?? '');
  if (program === null) throw new ZwarmError('git_failed', 'git was not found on your PATH', 'install git');
  const where = writable.find((directory) => isReplaceable(program, directory));
  if (where === undefined) return program;
  throw new ZwarmError(
    'program_unsafe',
    `git would be ${program}, where an agent could put another program in its place: nothing was run`,
    'take its directory out of your PATH',
  );
}

/**
 * Git in one repository: the only place where a process of git is made. It sees nothing of the caller's `GIT_*`, runs no
 * hook and no file system monitor, takes no lock that it can do without, and asks nobody.
 * @param program of `findGit`
 */
export function gitIn(repository: Repository, program: string, env: Environment): Git {
  const environment = environmentOf(env, repository);
  const cwd = repository.workTree ?? repository.gitDir;
  return async (args, { input, env: more, codes = [], timeoutMs = TIMEOUT_MS } = {}) => {
    const what = `git ${args.find((arg) => !arg.startsWith('-')) ?? ''}`.trim();
    const answer = await askBytes(program, [...SETTINGS, ...args], {
      cwd,
      env: { ...environment, ...more },
      timeoutMs,
      limit: OUTPUT_LIMIT,
      umask: repository.isPrivate ? 0o077 : undefined,
      ...(input === undefined ? {} : { input }),
    }).catch((error: unknown) => {
      throw new ZwarmError('git_failed', `${what} in ${cwd}: ${(error as Error).message}`, null, error);
    });
    if (answer.code === 0 || codes.includes(answer.code)) return answer;
    throw new ZwarmError('git_failed', `${what} in ${cwd}: ${reasonOf(answer)}`);
  };
}

/** The same git, whose calls have more variables. */
export function withVariables(git: Git, env: Readonly<Record<string, string>>): Git {
  return (args, options = {}) => git(args, { ...options, env: { ...env, ...options.env } });
}
