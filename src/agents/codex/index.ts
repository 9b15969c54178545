import type { AgentAdapter } from '../agent.ts';
import { placeCodexPaths, readCodexArguments } from './arguments.ts';
import { codexCommand, codexHome, codexRelease, interactiveCodex } from './command.ts';
import { codexConfinement, codexObeyed } from './confinement.ts';
import { explainCodexFailure } from './explain.ts';
import { codexHistory } from './history.ts';
import { codexProbe } from './probe.ts';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };
const SYSTEMS: Readonly<Record<string, string>> = { linux: 'unknown-linux-musl', darwin: 'apple-darwin' };

/** Where the native program lies beside the npm package's script, newest layout first: it starts in a tenth of the time. */
export function nativeCodexPaths(platform: string, arch: string): readonly string[] {
  const machine = `${platform}-${arch}`;
  const [architecture, system] = [ARCHITECTURES[arch], SYSTEMS[platform]];
  if (architecture === undefined || system === undefined) return [];
  const triple = `${architecture}-${system}`;
  return [
    `node_modules/@openai/codex-${machine}/vendor/${triple}/bin/codex`,
    `../codex-${machine}/vendor/${triple}/bin/codex`,
    `vendor/${triple}/bin/codex`,
    `vendor/${triple}/codex/codex`,
    `bin/codex-${triple}`,
  ];
}

/** OpenAI's Codex, driven through `codex exec --json`. */
export const codex: AgentAdapter = {
  name: 'codex',
  aliases: [],
  summary: "OpenAI's coding agent",
  // 0.169 knows `codex exec fork`; older ones were not tried.
  canFork: (agentVersion) => (codexRelease(agentVersion) ?? 0) >= 169,
  takesTools: true,
  takesSchema: true,
  program: {
    kind: 'path',
    binary: 'codex',
    variable: 'ZWARM_CODEX_BIN',
    packageName: '@openai/codex',
    native: nativeCodexPaths,
    install: 'npm install -g @openai/codex',
  },
  readArguments: readCodexArguments,
  placePaths: placeCodexPaths,
  command: (turn) => ({ args: codexCommand(turn), env: {} }),
  // What the commands of 0.169 have, and what an older one and a desktop program say.
  markers: [
    ...['CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_THREAD_ID', 'CODEX_SESSION_ID'],
    ...['CODEX_TOOL_CALL_ID', 'CODEX_CI', 'CODEX_INTERNAL_ORIGINATOR_OVERRIDE'],
  ],
  // Only SIGINT makes Codex end the commands that it runs without a sandbox, which are not in its process group.
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  interactive: (thread) => ({ args: interactiveCodex(thread), env: {} }),
  confinement: codexConfinement,
  obeyed: codexObeyed,
  async loadParser(agentVersion) {
    const { createCodexParser } = await import('./translate.ts');
    return () => createCodexParser(agentVersion);
  },
  reportsCost: false,
  readsWhole: false,
  history: codexHistory,
  // Its desktop program makes them, detached, and no verb of it lists or removes them.
  worktrees: (env) => {
    const home = codexHome(env);
    return home && `${home}/worktrees`;
  },
  explain: explainCodexFailure,
  probe: codexProbe,
};
