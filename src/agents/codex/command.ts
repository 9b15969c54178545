import type { CommandSpec, TurnRequest } from '../agent.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Codex names its threads by UUID; with anything else `resume` would silently begin a new one. */
export function isCodexThreadId(text: string): boolean {
  return UUID.test(text);
}

/**
 * `codex exec --json -C DIR -s MODE [-m M] [extra…] [resume|fork THREAD] -`, the prompt on stdin.
 *
 * The sandbox and the directory are stated on every turn because a resumed thread inherits neither, and all options
 * stand before the word `resume`, which refuses `-C` and `-s` after it (codex-cli 0.169).
 */
export function codexCommand(turn: TurnRequest): CommandSpec {
  return {
    argv: [
      'exec',
      '--json',
      '-C',
      turn.workingDir,
      '-s',
      turn.sandbox,
      ...(turn.model === null ? [] : ['-m', turn.model]),
      ...turn.agentArgs,
      ...(turn.threadId === null ? [] : [turn.forks ? 'fork' : 'resume', turn.threadId]),
      '-',
    ],
    env: {},
    // Only SIGINT makes Codex end the commands that it runs without a sandbox; they live in sessions of their own.
    stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  };
}

/** Whether that version knows `codex exec fork`: seen in 0.169; of older ones nobody has looked, nor of an unknown one. */
export function codexForks(agentVersion: string | null): boolean {
  const match = /(\d+)\.(\d+)\.\d+/.exec(agentVersion ?? '');
  return match !== null && (Number(match[1]) > 0 || Number(match[2]) >= 169);
}
