import type { Sandbox } from '../../core/session.ts';
import type { CommandSpec, Environment, TurnRequest } from '../agent.ts';

/** Where Claude Code keeps its settings and its conversations; null where no home is known. */
export function claudeHome({ CLAUDE_CONFIG_DIR: named, HOME: home }: Environment): string | null {
  return named || (home ? `${home}/.claude` : null);
}

/**
 * What Claude Code itself lets its model do (2.1.197 to 2.1.328): rules of its own, not a sandbox. A shell command that
 * they let pass can do whatever the user can. Where zwarm confines the process, it need not ask for anything.
 */
function permissions(sandbox: Sandbox, confined: boolean): readonly string[] {
  if (confined || sandbox === 'danger-full-access') return ['--permission-mode', 'bypassPermissions'];
  if (sandbox === 'read-only') return ['--permission-mode', 'dontAsk'];
  return ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'];
}

function thread({ threadId, newThreadId, forks }: TurnRequest): readonly string[] {
  if (threadId === null) return ['--session-id', newThreadId];
  return ['--resume', threadId, ...(forks ? ['--fork-session'] : [])];
}

/**
 * `claude -p --output-format stream-json --verbose [--session-id NEW | --resume OLD [--fork-session]] …`, the prompt on
 * stdin. `--verbose` is required with that format. The user's own entry for zwarm's tools is switched off.
 */
export function claudeCommand(turn: TurnRequest): CommandSpec {
  const { model, sandbox, confined, agentArgs, schema } = turn;
  return {
    args: [
      ...['-p', '--output-format', 'stream-json', '--verbose'],
      ...thread(turn),
      ...permissions(sandbox, confined),
      ...['--disallowedTools', 'mcp__zwarm'],
      ...(model === null ? [] : ['--model', model]),
      ...(schema === null ? [] : ['--json-schema', schema.text]),
      ...agentArgs,
    ],
    // As root it does not do without asking, unless it is told that it is in a sandbox.
    env: { DISABLE_AUTOUPDATER: '1', ...(confined && { IS_SANDBOX: '1' }) },
  };
}
