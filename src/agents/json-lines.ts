import * as z from 'zod/mini';
import type { AgentEvent, LineParser, Untold } from '../core/events.ts';
import { parseJson } from '../core/json.ts';

/** What the value of one line means, as new objects; never an empty list. */
export type Translation = readonly Untold[] | 'unknown' | 'malformed';

/** A thread's name, which becomes an argument of the next turn. Our agents name theirs by UUID: no other text passes. */
export const threadId = z.string().check(z.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/));

/** A parser for an agent that prints one JSON value per line: each line is accounted for, whatever it holds. */
export function createJsonLineParser(translate: (json: unknown) => Translation): LineParser {
  return ({ seq, text }): readonly AgentEvent[] => {
    if (text === null) return [{ seq, type: 'malformed', raw: null }];
    const json = parseJson(text);
    const events = json === undefined ? 'malformed' : translate(json);
    if (events === 'unknown' || events === 'malformed') return [{ seq, type: events, raw: text }];
    // Not copied: what a copy of each event takes outlives it for long, in streams of millions of them.
    return events.map((event) => Object.assign(event, { seq }));
  };
}
