import { usageError, ZwarmError } from '../errors.ts';

/** Whose sessions are meant: those of one source, of all that begin so, or of one and what its agents have started in turn. */
export interface SourceFilter {
  readonly source: string;
  readonly means: 'one' | 'beginning' | 'below';
}

const ORCHESTRATOR = 'orchestrator:';

function parseSource(word: string, mine: string): SourceFilter {
  if (word === 'mine') return { source: mine, means: 'below' };
  if (word === 'you' || word === 'user') return { source: 'user', means: 'one' };
  const agent = /^orch(?:estrator)?(?::([a-z][a-z2-9]{2,9}))?$/.exec(word);
  if (agent) return { source: `${ORCHESTRATOR}${agent[1] ?? ''}`, means: 'beginning' };
  const [client, kind, name] = /^(mcp|lib)(?::(.+))?$/.exec(word) ?? [];
  if (client !== undefined)
    return { source: `${kind}:${name ?? ''}`, means: name === undefined ? 'beginning' : 'one' };
  throw usageError(
    `unknown source ${JSON.stringify(word.slice(0, 80))}`,
    'choose from: mine, you, orch, orch:ID, mcp, mcp:CLIENT, lib, lib:CLIENT',
  );
}

/**
 * The words of `--source`, separated by commas: `you`, `orch`, `orch:ab12`, `mcp`, `mcp:CLIENT`, `lib`, or `mine` for what the
 * source `mine` has started, and what that has. @throws ZwarmError `usage`
 */
export const parseSources = (text: string, mine: string): readonly SourceFilter[] =>
  text.split(',').map((word) => parseSource(word, mine));

/** A session, and who started it. */
export interface Started {
  readonly id: string;
  readonly source: string | null;
}

/** The ids of the sessions that a source has started, of those that their agents have started, and so on. */
function startedBelow(source: string, everyone: readonly Started[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (let starters = new Set([source]); starters.size > 0; ) {
    const more = everyone.filter(
      (one) => one.source !== null && starters.has(one.source) && !found.has(one.id),
    );
    for (const { id } of more) found.add(id);
    starters = new Set(more.map(({ id }) => `${ORCHESTRATOR}${id}`));
  }
  return found;
}

/** Tells whether a session is meant, by all that there are. */
export function sourceMatcher(
  filters: readonly SourceFilter[],
  everyone: readonly Started[],
): (session: Started) => boolean {
  const tests = filters.map(({ source, means }) => {
    if (means === 'one') return (one: Started) => one.source === source;
    if (means === 'beginning') return (one: Started) => one.source?.startsWith(source) ?? false;
    const below = startedBelow(source, everyone);
    return ({ id }: Started) => below.has(id);
  });
  return (one) => tests.some((test) => test(one));
}

/** Makes sure that the beginning of an id means one agent of these sources. @throws ZwarmError `ambiguous` */
export function requireOneAgent(sources: readonly (string | null)[], filters: readonly SourceFilter[]): void {
  for (const { source: beginning, means } of filters) {
    // Of a client or of all agents it is empty.
    const prefix = beginning.slice(ORCHESTRATOR.length);
    if (means !== 'beginning' || prefix === '') continue;
    const agents = new Set(sources.filter((source) => source?.startsWith(beginning)));
    if (agents.size < 2) continue;
    throw new ZwarmError(
      'ambiguous',
      `orch:${prefix} is the beginning of ${agents.size} ids`,
      `type more of: ${[...agents].map((source) => source?.slice(ORCHESTRATOR.length)).join(', ')}`,
    );
  }
}
