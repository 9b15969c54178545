import { unknownWord } from '../core/suggest.ts';
import type { AgentAdapter } from './agent.ts';
import { claude } from './claude/index.ts';
import { codex } from './codex/index.ts';
import { demo } from './demo/index.ts';
import { opencode } from './opencode/index.ts';

/** Every agent that zwarm can start; `start` takes the first that is found, and never a part that is played. */
export const AGENTS: readonly AgentAdapter[] = [codex, claude, opencode, demo];

/** The adapter of that name, or of one that stands for it; or null. */
export function findAgent(name: string): AgentAdapter | null {
  return AGENTS.find((agent) => agent.name === name || agent.aliases.includes(name)) ?? null;
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
