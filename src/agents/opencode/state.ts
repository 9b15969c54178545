import type { AgentState, Environment } from '../agent.ts';
import { confinedDatabase } from './command.ts';

/** Where opencode keeps its data; null where no home is known. */
function opencodeData(env: Environment): string | null {
  const home = env['HOME'];
  const parent = env['XDG_DATA_HOME'] || (home && `${home}/.local/share`);
  return parent?.startsWith('/') ? `${parent}/opencode` : null;
}

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
