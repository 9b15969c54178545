type Environment = Readonly<Record<string, string | undefined>>;

// A relative path in such a variable is invalid, and is ignored.
function place(named: string | undefined, { HOME: home }: Environment, belowHome: string): string | null {
  if (named?.startsWith('/')) return named;
  return home?.startsWith('/') ? `${home}/${belowHome}` : null;
}

/** The default state directory of zwarm; null where no home is known. */
export function userStateDirectory(env: Environment): string | null {
  const home = place(env['XDG_STATE_HOME'], env, '.local/state');
  return home === null ? null : `${home}/zwarm`;
}

/** The path of the user's configuration file; null where no home is known. */
export function userConfigFile(env: Environment): string | null {
  const home = place(env['XDG_CONFIG_HOME'], env, '.config');
  return home === null ? null : `${home}/zwarm/config.toml`;
}

/** The directory with a file for each project that the user trusts; null where no home is known. */
export function trustedDirectory(env: Environment): string | null {
  const state = userStateDirectory(env);
  return state === null ? null : `${state}/trusted`;
}
