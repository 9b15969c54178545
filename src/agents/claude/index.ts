import type { AgentAdapter } from '../agent.ts';
import { placeClaudePaths, readClaudeArguments } from './arguments.ts';
import { claudeCommand, claudeHome } from './command.ts';
import { explainClaudeFailure } from './explain.ts';
import { claudeProbe } from './probe.ts';
import { claudeObeyed, claudeState, conversationsOf } from './state.ts';

/** Anthropic's Claude Code, driven through `claude -p`. */
export const claude: AgentAdapter = {
  name: 'claude',
  aliases: ['claude_code'],
  summary: "Anthropic's coding agent",
  canFork: () => true,
  takesTools: false,
  takesSchema: true,
  program: {
    kind: 'path',
    binary: 'claude',
    variable: 'ZWARM_CLAUDE_BIN',
    packageName: '@anthropic-ai/claude-code',
    // The program of the package is already the native one.
    native: () => [],
    install: 'npm install -g @anthropic-ai/claude-code',
  },
  readArguments: readClaudeArguments,
  placePaths: placeClaudePaths,
  command: claudeCommand,
  // What the commands of 2.1.328 have, and what the extension of an editor says.
  markers: [
    'CLAUDECODE',
    'CLAUDE_CODE_ENTRYPOINT',
    'CLAUDE_CODE_SSE_PORT',
    'CLAUDE_CODE_SESSION_ID',
    'CLAUDE_PID',
    'CLAUDE_CODE_CHILD_SESSION',
    'CLAUDE_CODE_CHILD_NOTES_DIR',
    'CLAUDE_CODE_SESSION_ATTENDED',
    'CLAUDE_CODE_MESSAGING_SOCKET',
    'CLAUDE_CODE_MESSAGING_TOKEN',
    'AI_AGENT',
  ],
  // SIGINT makes it exit with 0.
  stopSignals: ['SIGTERM', 'SIGKILL'],
  // It asks its user for each tool, whatever the sandbox of the session.
  interactive: ({ threadId, model }) => ({
    args: ['--resume', threadId, ...(model === null ? [] : ['--model', model])],
    env: {},
  }),
  confinement: { by: 'nobody', state: claudeState },
  obeyed: claudeObeyed,
  loadParser: async () => (await import('./translate.ts')).createClaudeParser,
  reportsCost: true,
  readsWhole: true,
  history: {
    directory(env) {
      const home = claudeHome(env);
      return home?.startsWith('/') ? `${home}/projects` : null;
    },
    // One directory for each in which it worked.
    patterns: (threadId) => [`*/${threadId}.jsonl`],
    place: (name, workingDir) => `${conversationsOf(workingDir)}/${name}`,
    files: {
      all: '*/*.jsonl',
      loadReader: async () => (await import('./transcript.ts')).createTranscriptReader,
    },
    contextFill: () => null,
    modelOf: () => null,
    timedItem: () => null,
    stepKey: () => null,
  },
  explain: explainClaudeFailure,
  probe: claudeProbe,
};
