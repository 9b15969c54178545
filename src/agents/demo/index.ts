import { cutFailure } from '../../core/session.ts';
import type { AgentAdapter } from '../agent.ts';

/** The embedded agent (`bin/demo-agent.mjs`): offline, harmless, for trying zwarm and for its tests. */
export const demo: AgentAdapter = {
  name: 'demo',
  canFork: () => false,
  takesTools: false,
  program: { kind: 'embedded' },
  readArguments: (args) => ({ refused: null, firstTurn: [], everyTurn: args, needsRepository: false }),
  /** `demo-agent.mjs [--model M] [extra…] [--resume THREAD]`, the prompt on stdin. */
  command({ model, agentArgs, threadId }) {
    const ofModel = model === null ? [] : ['--model', model];
    const ofThread = threadId === null ? [] : ['--resume', threadId];
    return [...ofModel, ...agentArgs, ...ofThread];
  },
  stopSignals: ['SIGTERM', 'SIGKILL'],
  confinement: null,
  loadParser: async () => (await import('./translate.ts')).createDemoParser(),
  explain({ message, stderr }) {
    const said = cutFailure(message ?? stderr.trim().split('\n').at(-1) ?? '');
    return said === '' ? null : { code: 'agent_failed', message: said, hint: null, retryable: false };
  },
  history: {
    directory: ({ XDG_STATE_HOME: state, HOME: home }) =>
      state || home ? `${state || `${home}/.local/state`}/zwarm/demo` : null,
    patterns: (threadId) => [`${threadId}/prompts.json`],
    contextFill: () => null,
    timedItem: () => null,
    stepKey: () => null,
  },
  probe: null,
};
