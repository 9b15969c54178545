type Environment = Readonly<Record<string, string | undefined>>;

// A relative path in such a variable is invalid, and is ignored.
function place(env: Environment, variable: string, inHome: string, path: string): string | null {
  const [named, home] = [env[variable], env['HOME']];
  if (named?.startsWith('/')) return `${named}/${path}`;
  return home?.startsWith('/') ? `${home}/${inHome}/${path}` : null;
}

/** The default state directory of zwarm; null where no home is known. */
export function userStateDirectory(env: Environment): string | null {
  return place(env, 'XDG_STATE_HOME', '.local/state', 'zwarm');
}

/** The path of the user's configuration file; null where no home is known. */
export function userConfigFile(env: Environment): string | null {
  return place(env, 'XDG_CONFIG_HOME', '.config', 'zwarm/config.toml');
}

/** The directory with a file for each project that the user trusts; null where no home is known. */
export function trustedDirectory(env: Environment): string | null {
  return place(env, 'XDG_STATE_HOME', '.local/state', 'zwarm/trusted');
}
