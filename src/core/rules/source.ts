import { ZwarmError } from '../errors.ts';

/** Whose sessions are meant: the user's, those of agents of ours (of one, by the beginning of its id), of MCP clients. */
export type SourceFilter =
  | { readonly kind: 'user' }
  | { readonly kind: 'orchestrator'; readonly prefix: string }
  | { readonly kind: 'mcp'; readonly client: string | null };

const ORCHESTRATOR = 'orchestrator:';
const MCP = 'mcp:';

function parseSource(word: string): SourceFilter {
  if (word === 'you' || word === 'user') return { kind: 'user' };
  const agent = /^orch(?:estrator)?(?::([a-z][a-z2-9]{2,9}))?$/.exec(word);
  if (agent) return { kind: 'orchestrator', prefix: agent[1] ?? '' };
  const client = /^mcp(?::(.+))?$/.exec(word);
  if (client) return { kind: 'mcp', client: client[1] ?? null };
  throw new ZwarmError(
    'usage',
    `unknown source ${JSON.stringify(word.slice(0, 80))}`,
    'choose from: you, orch, orch:ID, mcp, mcp:CLIENT',
  );
}

/** The words of `--source`, separated by commas: `you`, `orch`, `orch:ab12`, `mcp`, `mcp:codex`. @throws ZwarmError `usage` */
export function parseSources(text: string): readonly SourceFilter[] {
  return text.split(',').map(parseSource);
}

function matches(source: string, filter: SourceFilter): boolean {
  switch (filter.kind) {
    case 'user':
      return source === 'user';
    case 'orchestrator':
      return source.startsWith(`${ORCHESTRATOR}${filter.prefix}`);
    case 'mcp':
      return filter.client === null ? source.startsWith(MCP) : source === `${MCP}${filter.client}`;
  }
}

/** Whether a session of that source is meant. */
export function matchesSource(source: string | null, filters: readonly SourceFilter[]): boolean {
  return source !== null && filters.some((filter) => matches(source, filter));
}

/** Makes sure that the beginning of an id means one agent of these sources. @throws ZwarmError `ambiguous` */
export function requireOneAgent(sources: readonly (string | null)[], filters: readonly SourceFilter[]): void {
  for (const filter of filters) {
    if (filter.kind !== 'orchestrator' || filter.prefix === '') continue;
    const agents = new Set(sources.filter((source) => matchesSource(source, [filter])));
    if (agents.size < 2) continue;
    throw new ZwarmError(
      'ambiguous',
      `orch:${filter.prefix} is the beginning of ${agents.size} ids`,
      `type more of: ${[...agents].map((source) => source?.slice(ORCHESTRATOR.length)).join(', ')}`,
    );
  }
}
