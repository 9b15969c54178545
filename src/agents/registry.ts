import { unknownWord } from '../core/suggest.ts';
import type { AgentAdapter } from './agent.ts';
import { codex } from './codex/index.ts';
import { demo } from './demo/index.ts';

/** Every agent that zwarm can start. */
export const AGENTS: readonly AgentAdapter[] = [codex, demo];

/** The agent of `start` without `-a`. */
export const DEFAULT_AGENT = codex.name;

/** The adapter of that name, or null. */
export function findAgent(name: string): AgentAdapter | null {
  return AGENTS.find((agent) => agent.name === name) ?? null;
}

/** The adapter of that name. @throws ZwarmError `usage` */
export function requireAgent(name: string): AgentAdapter {
  const found = findAgent(name);
  if (found !== null) return found;
  throw unknownWord(
    'agent',
    name,
    AGENTS.map((agent) => agent.name),
  );
}
