import { usageError, ZwarmError } from '../errors.ts';

/** Whose sessions are meant: those of one source, or of all that begin so. */
export interface SourceFilter {
  readonly source: string;
  readonly begins: boolean;
}

const ORCHESTRATOR = 'orchestrator:';

function parseSource(word: string, mine: string): SourceFilter {
  if (word === 'mine') return { source: mine, begins: false };
  if (word === 'you' || word === 'user') return { source: 'user', begins: false };
  const agent = /^orch(?:estrator)?(?::([a-z][a-z2-9]{2,9}))?$/.exec(word);
  if (agent) return { source: `${ORCHESTRATOR}${agent[1] ?? ''}`, begins: true };
  const [client, kind, name] = /^(mcp|lib)(?::(.+))?$/.exec(word) ?? [];
  if (client !== undefined) return { source: `${kind}:${name ?? ''}`, begins: name === undefined };
  throw usageError(
    `unknown source ${JSON.stringify(word.slice(0, 80))}`,
    'choose from: mine, you, orch, orch:ID, mcp, mcp:CLIENT, lib, lib:CLIENT',
  );
}

/**
 * The words of `--source`, separated by commas: `you`, `orch`, `orch:ab12`, `mcp`, `mcp:CLIENT`, `lib`, or `mine` for the source
 * `mine` itself. @throws ZwarmError `usage`
 */
export const parseSources = (text: string, mine: string): readonly SourceFilter[] =>
  text.split(',').map((word) => parseSource(word, mine));

/** Whether a session of that source is meant. */
export function matchesSource(source: string | null, filters: readonly SourceFilter[]): boolean {
  return filters.some((one) => (one.begins ? source?.startsWith(one.source) : source === one.source));
}

/** Makes sure that the beginning of an id means one agent of these sources. @throws ZwarmError `ambiguous` */
export function requireOneAgent(sources: readonly (string | null)[], filters: readonly SourceFilter[]): void {
  for (const filter of filters) {
    // Of another filter that is empty, or no more than one source matches it.
    const prefix = filter.source.slice(ORCHESTRATOR.length);
    const agents = new Set(sources.filter((source) => prefix !== '' && matchesSource(source, [filter])));
    if (agents.size < 2) continue;
    throw new ZwarmError(
      'ambiguous',
      `orch:${prefix} is the beginning of ${agents.size} ids`,
      `type more of: ${[...agents].map((source) => source?.slice(ORCHESTRATOR.length)).join(', ')}`,
    );
  }
}
