type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where a git command in progress works, as it tells the programs that it runs: what `git rev-parse --local-env-vars` lists
 * (2.39 to 2.51) but `GIT_CONFIG_COUNT`, which is configuration of the user's, and what hooks, aliases and `rebase --exec`
 * find besides.
 */
const OF_A_COMMAND: readonly string[] = [
  ...['ALTERNATE_OBJECT_DIRECTORIES', 'COMMON_DIR', 'CONFIG', 'CONFIG_PARAMETERS', 'DIR', 'GRAFT_FILE'],
  ...['IMPLICIT_WORK_TREE', 'INDEX_FILE', 'INTERNAL_SUPER_PREFIX', 'NO_REPLACE_OBJECTS', 'OBJECT_DIRECTORY'],
  ...['PREFIX', 'REPLACE_REF_BASE', 'SHALLOW_FILE', 'WORK_TREE'],
  ...['CHERRY_PICK_HELP', 'EXEC_PATH', 'QUARANTINE_PATH', 'REFLOG_ACTION'],
].map((name) => `GIT_${name}`);

/** Who makes the commit of a hook, and an editor that changes nothing: elsewhere the user may have set them. */
const OF_A_HOOK = /^GIT_(?:AUTHOR|COMMITTER)_|^GIT_(?:SEQUENCE_)?EDITOR$/;

/** Whether a hook of git runs. After a commit git leaves no more of it than the author's date, in a form of its own. */
function isInHook(env: Environment): boolean {
  const { GIT_INDEX_FILE: index, GIT_QUARANTINE_PATH: quarantine, GIT_EDITOR: editor } = env;
  if (index !== undefined || quarantine !== undefined || editor === ':') return true;
  return env['GIT_EXEC_PATH'] !== undefined && /^@\d+ [+-]\d{4}$/.test(env['GIT_AUTHOR_DATE'] ?? '');
}

/** An environment without what a git command in progress says of itself: it holds only there and then. */
export function outsideOfGit(env: Environment): Environment {
  const inHook = isInHook(env);
  const names = Object.keys(env).filter(
    (name) => OF_A_COMMAND.includes(name) || (inHook && OF_A_HOOK.test(name)),
  );
  return { ...env, ...Object.fromEntries(names.map((name) => [name, undefined])) };
}

/** What a user has said by hand of where git works, `GIT_DIR` for example; null where git itself has, or nobody. */
export function gitPlaceByHand(env: Environment): string | null {
  const isGits = isInHook(env) || env['GIT_EXEC_PATH'] !== undefined || env['GIT_PREFIX'] !== undefined;
  return isGits ? null : (['GIT_DIR', 'GIT_WORK_TREE'].find((name) => env[name] !== undefined) ?? null);
}
