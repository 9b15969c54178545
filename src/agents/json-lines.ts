import type { AgentEvent, LineParser, Untold } from '../core/events.ts';
import { parseJson } from '../core/json.ts';

/** What the value of one line means; never an empty list. Undefined is what could not be read as JSON. */
export type Translate = (json: unknown) => readonly Untold[] | 'unknown' | 'malformed';

/** A parser for an agent that prints one JSON value per line: each line is accounted for, whatever it holds. */
export function createJsonLineParser(translate: Translate): LineParser {
  return ({ seq, text }): readonly AgentEvent[] => {
    if (text === null) return [{ seq, type: 'malformed', raw: null }];
    const json = parseJson(text);
    const events = json === undefined ? 'malformed' : translate(json);
    if (events === 'unknown' || events === 'malformed') return [{ seq, type: events, raw: text }];
    return events.map((event) => ({ ...event, seq }));
  };
}
