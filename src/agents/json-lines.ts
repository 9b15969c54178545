import * as z from 'zod/mini';
import { decodeOrNull, type Schema } from '../core/decode.ts';
import type { AgentEvent, LineParser, UnnumberedEvent } from '../core/events.ts';
import { THREAD } from '../core/ids.ts';
import { parseJson } from '../core/json.ts';

/** What the value of one line means, as new objects; never an empty list. */
export type Translation = readonly UnnumberedEvent[] | 'unknown' | 'malformed';

/** A thread's name, which becomes an argument of the next turn. Our agents name theirs by UUID: no other text passes. */
export const threadId = z.string().check(z.regex(THREAD));

/** Reads a value of one shape, with what else its reading needs; anything else is malformed. */
export function shaped<T, C>(schema: Schema<T>, read: (value: T, context: C) => Translation) {
  return (json: unknown, context: C): Translation => {
    const value = decodeOrNull(schema, json);
    return value === null ? 'malformed' : read(value, context);
  };
}

/** A parser for an agent that prints one JSON object per line: each line is accounted for, whatever it holds. */
export function createJsonLineParser(translate: (json: object) => Translation): LineParser {
  return ({ seq, text }): readonly AgentEvent[] => {
    if (text === null) return [{ seq, type: 'malformed', raw: null }];
    const json = parseJson(text);
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    const events = isObject ? translate(json) : 'malformed';
    if (events === 'unknown' || events === 'malformed') return [{ seq, type: events, raw: text }];
    // Not copied: what a copy of each event takes outlives it for long, in streams of millions of them.
    return events.map((event) => Object.assign(event, { seq }));
  };
}
