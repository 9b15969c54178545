import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { usageError } from '../core/errors.ts';
import type { CommandLine, ServerLine } from '../core/program.ts';
import type { ConfigPlace } from '../core/rules/policy.ts';
import { unknownWord } from '../core/suggest.ts';
import type { HostName } from './host-files.ts';

/** What a host's configuration says of our server, in the order in which it is written. */
export type HostEntry = Readonly<Record<string, HostValue>>;
type HostValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

/** A program with a language model in it, which can call the tools of `zwarm mcp`. */
export interface Host {
  readonly name: HostName;
  /** Absolute paths of the files that it reads its servers from. @throws ZwarmError `usage` */
  files(place: ConfigPlace): readonly [string, ...string[]];
  readonly format: 'json' | 'toml';
  /** The object or table in its file that holds all servers. */
  readonly servers: string;
  /** @param unattended whether the model may have agents work without asking, where the file can say so */
  entry(server: ServerLine, unattended: boolean): HostEntry;
  /** Where the user says what its model may do without asking; null where the entry itself says so. */
  readonly approvals: string | null;
  /** Whether the first file lies in the project: others use it too, on their machines, and agents may write it. */
  readonly shared: boolean;
  /** What the user must know before agreeing. */
  readonly warning?: string;
  /** What to do once it is written. */
  readonly next: string;
}

// The longest wait of one call, in seconds, where the host lets a call take longer than that.
const LONG_WAIT = { ZWARM_WAIT_SEC: '1500' };
const LONG_CALL_SEC = 1800;

/**
 * What Codex passes on to our server, which else gets little more than HOME, PATH and TMPDIR: who calls, and what the
 * agents need that the server starts, besides their programs: their directories, their keys, the way to the network.
 */
const PASSED_ON = `
  ZWARM_SESSION_ID ZWARM_TURN ZWARM_MARK ZWARM_STORE ZWARM_DIR ZWARM_DEBUG
  CODEX_HOME CLAUDE_CONFIG_DIR OPENCODE_CONFIG OPENCODE_CONFIG_DIR IS_SANDBOX
  XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR
  CODEX_API_KEY OPENAI_API_KEY OPENAI_BASE_URL
  ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL CLAUDE_CODE_OAUTH_TOKEN
  SSH_AUTH_SOCK SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS
  HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy`;

/** A path below the directory that a variable names, else below one in the user's home. @throws ZwarmError `usage` */
function below({ env }: ConfigPlace, variable: string, inHome: string, path: string): string {
  const named = env[variable];
  if (named?.startsWith('/')) return join(named, path);
  if (named) throw usageError(`${variable} is not an absolute path: ${named}`, 'set it to the full path');
  if (env['HOME']?.startsWith('/')) return join(env['HOME'], inHome, path);
  throw usageError('HOME is not set', 'set HOME to your home directory');
}

const stdio = ({ command, args }: CommandLine): HostEntry => ({ type: 'stdio', command, args });

/** Of Gemini CLI and of Qwen Code, which began as a copy of it: what is trusted is called without asking. */
const trusting = ({ command, args }: CommandLine, unattended: boolean): HostEntry => ({
  command,
  args,
  timeout: LONG_CALL_SEC * 1000,
  ...(unattended ? { trust: true } : {}),
  env: LONG_WAIT,
});

const OF_USER = { format: 'json', servers: 'mcpServers', shared: false } as const;
const OF_PROJECT = { format: 'json', shared: true } as const;

const HOSTS: readonly Host[] = [
  {
    ...OF_USER,
    name: 'codex',
    files: (place) => [below(place, 'CODEX_HOME', '.codex', 'config.toml')],
    format: 'toml',
    servers: 'mcp_servers',
    entry: ({ command, args, variables }, unattended) => ({
      command,
      args,
      // What is not required is left out of a turn when it is not up within a second.
      required: true,
      startup_timeout_sec: 20,
      tool_timeout_sec: LONG_CALL_SEC,
      supports_parallel_tool_calls: true,
      // Else it asks for what does not only look; `codex exec` has nobody to ask, and cancels that.
      ...(unattended ? { default_tools_approval_mode: 'approve' } : {}),
      env: LONG_WAIT,
      env_vars: [...PASSED_ON.trim().split(/\s+/), ...variables],
    }),
    approvals: null,
    next: 'start Codex anew; codex mcp list shows the server',
  },
  {
    ...OF_PROJECT,
    name: 'claude',
    files: ({ projectRoot }) => [join(projectRoot, '.mcp.json')],
    servers: 'mcpServers',
    entry: (server) => ({ ...stdio(server), env: LONG_WAIT }),
    approvals: 'in Claude Code\'s own settings, by permissions.allow: "mcp__zwarm__delegate" for example',
    next: 'start Claude Code anew in this project, and approve the server zwarm when it asks',
  },
  {
    ...OF_PROJECT,
    name: 'cursor',
    // The servers of the second one start in the home directory, whatever project is open: only --remove looks there.
    files: (place) => [
      join(place.projectRoot, '.cursor', 'mcp.json'),
      below(place, '', '.cursor', 'mcp.json'),
    ],
    servers: 'mcpServers',
    // Its calls fail after a minute: the server's own limit is below that.
    entry: stdio,
    approvals: "in Cursor's own settings",
    next: 'open this project in Cursor, and switch the server zwarm on in its settings',
  },
  {
    ...OF_USER,
    name: 'opencode',
    files(place) {
      const home = below(place, 'XDG_CONFIG_HOME', '.config', 'opencode');
      return [join(home, 'opencode.json'), join(home, 'opencode.jsonc')];
    },
    servers: 'mcp',
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    approvals: 'in the same file, by permission',
    warning:
      'opencode does not ask before its model starts, continues or ends agents, unless the file says so: "permission": {"zwarm_*": "ask"}',
    next: 'start opencode anew; opencode mcp list shows the server',
  },
  {
    ...OF_USER,
    name: 'gemini',
    files: (place) => [below(place, 'GEMINI_CLI_HOME', '.', '.gemini/settings.json')],
    entry: trusting,
    approvals: null,
    next: 'start Gemini CLI anew in a folder that it trusts; gemini mcp list shows the server',
  },
  {
    ...OF_USER,
    name: 'qwen',
    files: (place) => [below(place, 'QWEN_HOME', '.qwen', 'settings.json')],
    entry: trusting,
    approvals: null,
    next: 'start Qwen Code anew; qwen mcp list shows the server',
  },
  {
    ...OF_PROJECT,
    name: 'vscode',
    files: ({ projectRoot }) => [join(projectRoot, '.vscode', 'mcp.json')],
    servers: 'servers',
    entry: stdio,
    approvals: "in VS Code's own settings",
    next: 'open this project in VS Code, start the server zwarm with "MCP: List Servers", and trust it when asked',
  },
];

/** The host of that name. @throws ZwarmError `usage` */
export function requireHost(name: string | undefined): Host {
  const found = HOSTS.find((host) => host.name === name);
  if (found !== undefined) return found;
  const names = HOSTS.map((host) => host.name);
  if (name !== undefined) throw unknownWord('host', name, names);
  throw usageError('which host?', `choose with --host one of: ${names.join(', ')}`);
}

/** The file for a host's entry: of several in one directory the first that is there. @throws ZwarmError `usage` */
export function hostFile(host: Host, place: ConfigPlace): string {
  const files = host.files(place);
  const [first] = files;
  return files.find((file) => dirname(file) === dirname(first) && existsSync(file)) ?? first;
}

/** What to do where zwarm cannot write. */
export const byHand = ({ name }: Host): string =>
  `change it by hand; this prints what to paste: zwarm mcp install --host ${name} --print`;
