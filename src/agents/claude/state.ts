import type { AgentState, Environment } from '../agent.ts';
import { claudeHome } from './command.ts';

/** The name of the directory in which it keeps the conversations that it had in a directory. */
export const conversationsOf = (directory: string): string => directory.replace(/[^A-Za-z0-9]/g, '-');

/**
 * What Claude Code 2.1.328 writes of its own state for a turn: the conversations of the directory, and a login that it
 * refreshes. Not its settings, hooks, servers and plugins, nor the memory that it reads at its next start.
 */
export function claudeState(env: Environment, directory: string): AgentState {
  const home = claudeHome(env);
  if (!home?.startsWith('/')) return { directories: [], files: [], kept: [] };
  const conversations = `${home}/projects/${conversationsOf(directory)}`;
  return {
    directories: [conversations],
    files: [`${home}/.credentials.json`],
    kept: [`${conversations}/memory`],
  };
}

const OBEYED =
  'settings.json settings.local.json hooks agents commands skills plugins rules output-styles CLAUDE.md'.split(
    ' ',
  );

/** What Claude Code 2.1.328 obeys everywhere: the user's own, and the system's. */
export function claudeObeyed(env: Environment): readonly string[] {
  const home = claudeHome(env);
  const own = home?.startsWith('/') ? OBEYED.map((name) => `${home}/${name}`) : [];
  // Servers, and the projects that are trusted.
  const parent = env['CLAUDE_CONFIG_DIR'] || env['HOME'];
  const state = parent?.startsWith('/') ? [`${parent}/.claude.json`] : [];
  return [...own, ...state, '/etc/claude-code'];
}
