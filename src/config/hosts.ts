import { join } from 'node:path';
import { ZwarmError } from '../core/errors.ts';
import type { CommandLine } from '../core/program.ts';
import type { ConfigPlace } from '../core/rules/policy.ts';
import { closest } from '../core/suggest.ts';
import { codexFormat } from './codex-host.ts';
import { type HostEntry, type HostFormat, Uneditable } from './host-format.ts';
import { jsonFormat } from './json-host.ts';

/** A program with a language model in it, which can call the tools of `zwarm mcp`. */
export interface Host {
  readonly name: string;
  /** Absolute path of the file that it reads its servers from. @throws ZwarmError `usage` where no home is known */
  file(place: ConfigPlace): string;
  readonly format: HostFormat;
  /**
   * What the file is to say of a server that is started so.
   * @param unattended whether the model may have agents work without asking, where the file says so
   */
  entry(server: CommandLine, unattended: boolean): HostEntry;
  /** Where else it keeps what its model may do without asking; null where its file says so. */
  readonly approvals: string | null;
  /** Whether the file lies in the project: others use it too, on their machines, and agents may write it. */
  readonly shared: boolean;
  /** What to do once it is written. */
  readonly next: string;
}

/** The longest wait of one call, in seconds, where the host bears a long one. */
const LONG_WAIT = { ZWARM_WAIT_SEC: '1500' };

/**
 * What Codex is to pass on to our server, which gets little more than HOME, PATH and TMPDIR of its environment: who calls,
 * and what the agents need that the server starts: their places, their keys, and the way to the network.
 */
const PASSED_ON: readonly string[] = [
  ...['ZWARM_SESSION_ID', 'ZWARM_TURN', 'ZWARM_MARK', 'ZWARM_DIR', 'ZWARM_CODEX_BIN', 'ZWARM_DEBUG'],
  ...[
    'CODEX_HOME',
    'XDG_CONFIG_HOME',
    'XDG_STATE_HOME',
    'XDG_CACHE_HOME',
    'XDG_DATA_HOME',
    'XDG_RUNTIME_DIR',
  ],
  ...['CODEX_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  ...['SSH_AUTH_SOCK', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
];

function homeOf({ env }: ConfigPlace): string {
  const home = env['HOME'];
  if (home?.startsWith('/')) return home;
  throw new ZwarmError('usage', 'HOME is not set', 'set HOME to your home directory');
}

function codexHome(place: ConfigPlace): string {
  const named = place.env['CODEX_HOME'];
  if (!named) return join(homeOf(place), '.codex');
  if (named.startsWith('/')) return named;
  throw new ZwarmError('usage', `CODEX_HOME is not an absolute path: ${named}`, 'set it to the full path');
}

const HOSTS: readonly Host[] = [
  {
    name: 'codex',
    file: (place) => join(codexHome(place), 'config.toml'),
    format: codexFormat,
    entry: ({ command, args }, unattended) => ({
      command,
      args,
      // What is not required is left out of a turn when it is not up within a second.
      required: true,
      startup_timeout_sec: 20,
      // More than the longest wait.
      tool_timeout_sec: 1800,
      supports_parallel_tool_calls: true,
      // Else it asks for what does not only look; `codex exec` has nobody to ask, and cancels that.
      ...(unattended ? { default_tools_approval_mode: 'approve' } : {}),
      env: LONG_WAIT,
      env_vars: PASSED_ON,
    }),
    approvals: null,
    shared: false,
    next: 'start Codex anew; codex mcp list shows the server',
  },
  {
    name: 'claude',
    file: ({ projectRoot }) => join(projectRoot, '.mcp.json'),
    format: jsonFormat,
    entry: ({ command, args }) => ({ type: 'stdio', command, args, env: LONG_WAIT }),
    approvals: 'in Claude Code\'s own settings, by permissions.allow: "mcp__zwarm__delegate" for example',
    shared: true,
    next: 'start Claude Code anew in this project, and approve the server zwarm when it asks',
  },
  {
    name: 'cursor',
    file: (place) => join(homeOf(place), '.cursor', 'mcp.json'),
    format: jsonFormat,
    // Its calls fail after a minute: the server's own limit is below that.
    entry: ({ command, args }) => ({ type: 'stdio', command, args }),
    approvals: "in Cursor's own settings",
    shared: false,
    next: 'start Cursor anew; its settings show the server',
  },
];

/** The names of all hosts. */
export const HOST_NAMES: readonly string[] = HOSTS.map(({ name }) => name);

/** The host of that name. @throws ZwarmError `usage` */
export function requireHost(name: string | undefined): Host {
  const found = HOSTS.find((host) => host.name === name);
  if (found !== undefined) return found;
  const choices = HOST_NAMES.join(', ');
  if (name === undefined)
    throw new ZwarmError('usage', 'which host?', `choose with --host one of: ${choices}`);
  const guess = closest(name, HOST_NAMES);
  throw new ZwarmError(
    'usage',
    `unknown host ${JSON.stringify(name)}`,
    guess === null ? `choose one of: ${choices}` : `did you mean ${guess}? choose one of: ${choices}`,
  );
}

/** What to type where we cannot write. */
export function byHand({ name }: Host): string {
  return `change it by hand; this prints what to paste: zwarm mcp install --host ${name} --print`;
}

/**
 * What a host's file is to hold: with our entry, or for null without it. The very same text where nothing is to be done.
 * @throws ZwarmError `config` where the text cannot be edited without a doubt
 */
export async function editHostText(
  host: Host,
  file: string,
  text: string,
  entry: HostEntry | null,
): Promise<string> {
  try {
    return await (entry === null ? host.format.take(text) : host.format.put(text, entry));
  } catch (error) {
    if (!(error instanceof Uneditable)) throw error;
    throw new ZwarmError('config', `${file}: ${error.message}`, byHand(host), error);
  }
}
