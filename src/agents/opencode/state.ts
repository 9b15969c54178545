import type { AgentState, Environment } from '../agent.ts';
import { confinedDatabase } from './command.ts';

/** A directory of opencode's in one of the user's; null where no home is known. */
function placeIn(env: Environment, variable: string, inHome: string): string | null {
  const home = env['HOME'];
  const parent = env[variable] || (home && `${home}/${inHome}`);
  return parent?.startsWith('/') ? `${parent}/opencode` : null;
}

/** Where opencode keeps its data. */
const opencodeData = (env: Environment): string | null => placeIn(env, 'XDG_DATA_HOME', '.local/share');

/**
 * What opencode 1.18.33 writes of its own state for a turn: the conversations of the directory, its log, and the outputs
 * that are too long for its model. Not `auth.json`, though it refreshes some logins there: an entry in it can name a
 * server whose configuration opencode obeys at its next start.
 */
export function opencodeState(env: Environment, directory: string): AgentState {
  const data = opencodeData(env);
  if (data === null) return { directories: [], files: [], kept: [] };
  const names = [confinedDatabase(directory).directory, 'log', 'tool-output'];
  return { directories: names.map((name) => `${data}/${name}`), files: [], kept: [] };
}

/** What opencode 1.18.33 obeys everywhere: settings, plugins and what it has installed for them, and logins. */
export function opencodeObeyed(env: Environment): readonly string[] {
  const data = opencodeData(env);
  return [
    placeIn(env, 'XDG_CONFIG_HOME', '.config'),
    placeIn(env, 'XDG_CACHE_HOME', '.cache'),
    env['HOME'] && `${env['HOME']}/.opencode`,
    env['OPENCODE_CONFIG'],
    env['OPENCODE_CONFIG_DIR'],
    data && `${data}/auth.json`,
  ]
    .map((path) => path ?? '')
    .filter((path) => path.startsWith('/'));
}
