import type { CommandSpec, TurnRequest } from '../agent.ts';

/** `demo-agent.js [--model M] [extra…] [--resume THREAD]`, the prompt on stdin. */
export function demoCommand(turn: TurnRequest): CommandSpec {
  return {
    argv: [
      ...(turn.model === null ? [] : ['--model', turn.model]),
      ...turn.agentArgs,
      ...(turn.threadId === null ? [] : ['--resume', turn.threadId]),
    ],
    env: {},
    stopSignals: ['SIGTERM', 'SIGKILL'],
  };
}
