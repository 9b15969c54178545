import type { AgentAdapter } from '../agent.ts';
import { readCodexArguments } from './arguments.ts';
import { codexCommand, codexForks } from './command.ts';
import { codexConfinement } from './confinement.ts';
import { explainCodexFailure } from './explain.ts';
import { codexHistory } from './history.ts';
import { nativeCodexPaths } from './native.ts';
import { codexProbe } from './probe.ts';

/** OpenAI's Codex, driven through `codex exec --json`. */
export const codex: AgentAdapter = {
  name: 'codex',
  capabilities: {
    resume: true,
    fork: codexForks,
    sandbox: ['read-only', 'workspace-write', 'danger-full-access'],
    tools: true,
  },
  program: {
    kind: 'path',
    binary: 'codex',
    variable: 'ZWARM_CODEX_BIN',
    packageName: '@openai/codex',
    native: nativeCodexPaths,
    versionArgs: ['--version'],
    install: 'npm install -g @openai/codex',
  },
  readArguments: readCodexArguments,
  command: codexCommand,
  confinement: codexConfinement,
  async loadParser(agentVersion) {
    const { createCodexParser } = await import('./translate.ts');
    return createCodexParser(agentVersion);
  },
  history: codexHistory,
  explain: explainCodexFailure,
  probe: codexProbe,
};
