import type { CommandSpec, TurnRequest } from '../agent.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The demo agent names its threads by UUID. */
export function isDemoThreadId(text: string): boolean {
  return UUID.test(text);
}

/** `demo-agent.mjs [--model M] [extra…] [--resume THREAD]`, the prompt on stdin. */
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
