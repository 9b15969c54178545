import type { AgentEvent, LineParser, Untold } from '../core/events.ts';
import { parseJson } from '../core/json.ts';

/** What the value of one line means, as new objects; never an empty list. Undefined is what could not be read as JSON. */
export type Translate = (json: unknown) => readonly Untold[] | 'unknown' | 'malformed';

/** A parser for an agent that prints one JSON value per line: each line is accounted for, whatever it holds. */
export function createJsonLineParser(translate: Translate): LineParser {
  return ({ seq, text }): readonly AgentEvent[] => {
    if (text === null) return [{ seq, type: 'malformed', raw: null }];
    const json = parseJson(text);
    const events = json === undefined ? 'malformed' : translate(json);
    if (events === 'unknown' || events === 'malformed') return [{ seq, type: events, raw: text }];
    // Not copied: what a copy of each event takes outlives it for long, in streams of millions of them.
    return events.map((event) => Object.assign(event, { seq }));
  };
}
