import type { AgentAdapter } from '../agent.ts';
import { placeOpencodePaths, readOpencodeArguments } from './arguments.ts';
import { opencodeCommand } from './command.ts';
import { explainOpencodeFailure } from './explain.ts';
import { opencodeObeyed, opencodeState } from './state.ts';

/** opencode, an open-source agent for the models of any provider, driven through `opencode run`. */
export const opencode: AgentAdapter = {
  name: 'opencode',
  aliases: [],
  summary: 'an agent for models of any provider',
  canFork: () => true,
  takesTools: false,
  takesSchema: false,
  program: {
    kind: 'path',
    binary: 'opencode',
    variable: 'ZWARM_OPENCODE_BIN',
    packageName: 'opencode-ai',
    // The program of the package is already the native one: of several, the one that runs on this processor.
    native: () => [],
    install: 'npm install -g opencode-ai',
  },
  readArguments: readOpencodeArguments,
  placePaths: placeOpencodePaths,
  command: opencodeCommand,
  // It sets AGENT, too, which others may mean otherwise.
  markers: ['OPENCODE', 'OPENCODE_PID'],
  // Neither SIGTERM nor SIGINT makes it end its commands, and now and then it ignores one of them.
  stopSignals: ['SIGTERM', 'SIGKILL'],
  interactive: null,
  confinement: { by: 'nobody', state: opencodeState },
  obeyed: opencodeObeyed,
  loadParser: async () => (await import('./translate.ts')).createOpencodeParser,
  reportsCost: true,
  readsWhole: true,
  // All threads are in one database.
  history: null,
  explain: explainOpencodeFailure,
  // It lists logins (`opencode auth list`), but a turn may need none: some models are free, some are on this machine, and
  // some have their key in its configuration.
  probe: null,
};
