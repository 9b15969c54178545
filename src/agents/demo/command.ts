import type { CommandSpec, TurnRequest } from '../agent.ts';

/** `demo-agent.mjs [--model M] [extra…] [--resume THREAD]`, the prompt on stdin. */
export function demoCommand({ model, agentArgs, threadId }: TurnRequest): CommandSpec {
  const ofModel = model === null ? [] : ['--model', model];
  const ofThread = threadId === null ? [] : ['--resume', threadId];
  return { argv: [...ofModel, ...agentArgs, ...ofThread], env: {}, stopSignals: ['SIGTERM', 'SIGKILL'] };
}
