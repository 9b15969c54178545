import type { Environment, InteractiveThread, ToolServer, TurnRequest } from '../agent.ts';

const SERVER = 'mcp_servers.zwarm';
const NAMES_SERVER = /mcp_servers\.zwarm\s*[.=]/;

/**
 * The server of zwarm's tools as a table of Codex's configuration (0.169). One that is not required is left out when it
 * is not up within a second; without `approve`, `codex exec` cancels calls; and a server gets little more than what
 * `env_vars` names. What the user's own entry says besides would hold too. JSON's strings and lists are TOML's.
 */
function toolServer({ program, args, variables, tools }: ToolServer): string {
  const approvals = tools.map((name) => `${name}={approval_mode="approve"}`);
  const settings = [
    'enabled=true',
    `command=${JSON.stringify(program)}`,
    `args=${JSON.stringify(args)}`,
    'required=true',
    'startup_timeout_sec=20',
    // A little longer than the server waits.
    'tool_timeout_sec=1800',
    'supports_parallel_tool_calls=true',
    'default_tools_approval_mode="approve"',
    `tools={${approvals.join(',')}}`,
    'env={ZWARM_WAIT_SEC="1500"}',
    `env_vars=${JSON.stringify(variables)}`,
  ];
  return `${SERVER}={${settings.join(',')}}`;
}

/** Switches the user's entry off; where there is none, Codex requires a command in it. */
const NO_TOOL_SERVER = `${SERVER}={command="true",enabled=false}`;

/** The arguments for zwarm's tools. For an agent without tools, an argument of the user that names them wins. */
function toolArgs({ tools, agentArgs }: TurnRequest): readonly string[] {
  if (tools !== null) return ['-c', toolServer(tools)];
  return agentArgs.some((argument) => NAMES_SERVER.test(argument)) ? [] : ['-c', NO_TOOL_SERVER];
}

/**
 * `codex exec --json -C DIR -s MODE [-m M] [--output-schema FILE] -c TOOLS [extra…] [resume|fork THREAD] -`, the prompt
 * on stdin. A resumed thread inherits neither sandbox, directory nor schema, and `resume` refuses `-C` and `-s` after it
 * (codex-cli 0.169).
 */
export function codexCommand(turn: TurnRequest): readonly string[] {
  return [
    'exec',
    '--json',
    '-C',
    turn.workingDir,
    '-s',
    turn.sandbox,
    ...(turn.model === null ? [] : ['-m', turn.model]),
    ...(turn.schema === null ? [] : ['--output-schema', turn.schema.path]),
    ...toolArgs(turn),
    ...turn.agentArgs,
    ...(turn.threadId === null ? [] : [turn.forks ? 'fork' : 'resume', turn.threadId]),
    '-',
  ];
}

/**
 * `codex -C DIR -c sandbox_mode=MODE [-m M] resume THREAD`: asks its user before it leaves that sandbox. With `-c` it runs
 * by itself (0.152 to 0.169); without, a server in the background would keep the thread, so that nobody else could go on
 * with it.
 */
export function interactiveCodex(thread: InteractiveThread): readonly string[] {
  const { workingDir, sandbox, model, threadId } = thread;
  const mode = ['-c', `sandbox_mode="${sandbox}"`];
  return ['-C', workingDir, ...mode, ...(model === null ? [] : ['-m', model]), 'resume', threadId];
}

/** The number of a release of Codex, such as 169 of 0.169.0; null where it is not known. */
export function codexRelease(agentVersion: string | null): number | null {
  const [, major, minor] = /(\d+)\.(\d+)\.\d+/.exec(agentVersion ?? '') ?? [];
  if (major === undefined) return null;
  return Number(major) > 0 ? Number.POSITIVE_INFINITY : Number(minor);
}

/** Where Codex keeps its configuration and its history; null where no home is known. */
export function codexHome({ CODEX_HOME: named, HOME: home }: Environment): string | null {
  return named || (home ? `${home}/.codex` : null);
}
