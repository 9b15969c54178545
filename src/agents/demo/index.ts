import { cutFailure } from '../../core/session.ts';
import type { AgentAdapter } from '../agent.ts';

/** The embedded agent (`bin/demo-agent.mjs`): offline, harmless, for trying zwarm and for its tests. */
export const demo: AgentAdapter = {
  name: 'demo',
  aliases: [],
  summary: 'plays a part offline, to try zwarm',
  canFork: () => true,
  takesTools: false,
  takesSchema: false,
  program: { kind: 'embedded' },
  readArguments: (args) => ({ refused: null, newThread: [], everyTurn: args, outsideOfGit: null }),
  placePaths: (args) => args,
  /** `demo-agent.mjs [--model M] --sandbox MODE [extra…] [--resume THREAD | --fork THREAD]`, the prompt on stdin. */
  command({ model, sandbox, agentArgs, threadId, forks }) {
    const ofModel = model === null ? [] : ['--model', model];
    const ofThread = threadId === null ? [] : [forks ? '--fork' : '--resume', threadId];
    return { args: [...ofModel, '--sandbox', sandbox, ...agentArgs, ...ofThread], env: {} };
  },
  markers: [],
  stopSignals: ['SIGTERM', 'SIGKILL'],
  interactive: null,
  confinement: null,
  obeyed: () => [],
  loadParser: async () => (await import('./translate.ts')).createDemoParser,
  reportsCost: false,
  readsWhole: false,
  explain({ message, stderr }) {
    const said = cutFailure(message ?? stderr.trim().split('\n').at(-1) ?? '');
    return said === '' ? null : { code: 'agent_failed', message: said, hint: null, retryable: false };
  },
  history: {
    directory: ({ XDG_STATE_HOME: state, HOME: home }) =>
      state || home ? `${state || `${home}/.local/state`}/zwarm/demo` : null,
    patterns: (threadId) => [`${threadId}/prompts.json`],
    // Every thread has a file of the same name.
    place: () => null,
    files: null,
    contextFill: () => null,
    modelOf: () => null,
    timedItem: () => null,
    stepKey: () => null,
  },
  probe: null,
};
