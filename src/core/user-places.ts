type Environment = Readonly<Record<string, string | undefined>>;

// A relative path in such a variable is invalid, and counts as none.
function place(named: string | undefined, { HOME: home }: Environment, belowHome: string): string | null {
  if (named?.startsWith('/')) return named;
  return home?.startsWith('/') ? `${home}/${belowHome}` : null;
}

/** zwarm's own directory among those of what programs keep for the user; null where no home is known. */
export function userStateDirectory(env: Environment): string | null {
  const home = place(env['XDG_STATE_HOME'], env, '.local/state');
  return home === null ? null : `${home}/zwarm`;
}

/** The user's own configuration file, whether it is there or not; null where no home is known. */
export function userConfigFile(env: Environment): string | null {
  const home = place(env['XDG_CONFIG_HOME'], env, '.config');
  return home === null ? null : `${home}/zwarm/config.toml`;
}

/** The directory of what the user trusts, a file for each; null where no home is known. */
export function trustedDirectory(env: Environment): string | null {
  const state = userStateDirectory(env);
  return state === null ? null : `${state}/trusted`;
}
