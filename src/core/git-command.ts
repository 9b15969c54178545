type Environment = Readonly<Record<string, string | undefined>>;

/** The places of a repository, by the ends of their names. */
const PLACES = 'DIR WORK_TREE INDEX_FILE OBJECT_DIRECTORY ALTERNATE_OBJECT_DIRECTORIES COMMON_DIR'.split(' ');

/**
 * Where a git command in progress works, as it tells the programs that it runs: what `git rev-parse --local-env-vars` lists
 * (2.39 to 2.51) but `GIT_CONFIG_COUNT`, which is configuration of the user's, and what hooks, aliases and `rebase --exec`
 * find besides.
 */
const OF_A_COMMAND: readonly string[] = [
  ...PLACES,
  ...['CONFIG', 'CONFIG_PARAMETERS', 'GRAFT_FILE', 'IMPLICIT_WORK_TREE', 'INTERNAL_SUPER_PREFIX'],
  ...['NO_REPLACE_OBJECTS', 'PREFIX', 'REPLACE_REF_BASE', 'SHALLOW_FILE'],
  ...['CHERRY_PICK_HELP', 'EXEC_PATH', 'QUARANTINE_PATH', 'REFLOG_ACTION'],
].map((name) => `GIT_${name}`);

/** What `rebase`, `difftool` and `submodule foreach` say to what they run, in place of what the user may say there. */
const VALUES_OF_GIT = {
  GIT_SEQUENCE_EDITOR: ':',
  GIT_EXTERNAL_DIFF: 'git-difftool--helper',
  GIT_PROTOCOL_FROM_USER: '0',
} as const;

/** Who makes the commit of a hook, and its editor. */
const OF_A_HOOK = /^GIT_(?:AUTHOR|COMMITTER)_|^GIT_EDITOR$/;

/** Whether a program of git has started this one: each says where its own programs are. */
const isBelowGit = (env: Environment): boolean => env['GIT_EXEC_PATH'] !== undefined;

/** Whether a hook of git runs. After a commit git leaves no more of it than the author's date, in a form of its own. */
function isInHook(env: Environment): boolean {
  if (env['GIT_INDEX_FILE'] !== undefined || env['GIT_QUARANTINE_PATH'] !== undefined) return true;
  const date = env['GIT_AUTHOR_DATE'] ?? '';
  return isBelowGit(env) && (env['GIT_EDITOR'] === ':' || /^@\d+ [+-]\d{4}$/.test(date));
}

/** An environment without what a git command in progress says of itself: it holds only there and then. */
export function outsideOfGit(env: Environment): Environment {
  const [inHook, belowGit] = [isInHook(env), isBelowGit(env)];
  const isOfGit = (name: string): boolean =>
    OF_A_COMMAND.includes(name) ||
    (inHook && OF_A_HOOK.test(name)) ||
    (belowGit && Object.entries(VALUES_OF_GIT).some(([own, value]) => name === own && env[name] === value));
  const names = Object.keys(env).filter(isOfGit);
  return { ...env, ...Object.fromEntries(names.map((name) => [name, undefined])) };
}

/** The same for a command that the user runs elsewhere, and at once: what the user says of git by hand is meant for it. */
export const elsewhereThanGit = (env: Environment): Environment =>
  isBelowGit(env) ? outsideOfGit(env) : env;

/** What a user has said by hand of where git works, `GIT_DIR` for example; null where git itself has, or nobody. */
export function gitPlaceByHand(env: Environment): string | null {
  const name = isBelowGit(env) ? undefined : PLACES.find((end) => env[`GIT_${end}`] !== undefined);
  return name === undefined ? null : `GIT_${name}`;
}
