import type { HistoryLine, HistoryReader } from '../core/conversation/session-file.ts';
import type { AgentEvent } from '../core/events.ts';
import { parseIso } from '../core/time.ts';
import { createJsonLineParser, type Translation } from './json-lines.ts';

/** What a line says besides what it means for the turn. */
export type LineFacts = Partial<Omit<HistoryLine, 'events' | 'atMs'>> & { readonly at?: string | null };

const NOTHING = { prompt: null, thread: null, model: null, interrupted: false, node: null } as const;

/** A reader for a session file that holds one JSON object per line: `translate` says of each what it tells, and what it means. */
export function createHistoryReader(
  translate: (json: object) => { readonly facts: LineFacts; readonly means: Translation },
): HistoryReader {
  let facts: LineFacts = {};
  const parse = createJsonLineParser((json) => {
    const line = translate(json);
    facts = line.facts;
    return line.means;
  });
  return (line) => {
    facts = {};
    const events: readonly AgentEvent[] = parse(line);
    const { at, ...rest } = facts;
    return { ...NOTHING, ...rest, atMs: parseIso(at ?? null), events };
  };
}
