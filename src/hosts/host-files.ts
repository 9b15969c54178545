/** What `--help` says of each host: its name, and where its file is. Apart from the rest, which only `mcp install` needs. */
export const HOST_FILES = [
  ['codex', 'config.toml in CODEX_HOME or ~/.codex'],
  ['claude', '.mcp.json in the root of this project: others get it, too'],
  ['cursor', '.cursor/mcp.json in the root of this project'],
  ['opencode', 'opencode.json or .jsonc in ~/.config/opencode'],
  ['gemini', '~/.gemini/settings.json'],
  ['qwen', '~/.qwen/settings.json'],
  ['vscode', '.vscode/mcp.json in the root of this project: others get it, too'],
] as const;

export type HostName = (typeof HOST_FILES)[number][0];
