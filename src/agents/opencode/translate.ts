import * as z from 'zod/mini';
import { sumTokens } from '../../core/conversation/turn-tokens.ts';
import { amount, count, flag, lenient, orNull } from '../../core/decode.ts';
import type { LineParser, StepStatus, Tokens, UnnumberedEvent } from '../../core/events.ts';
import { createJsonLineParser, shaped, type Translation } from '../json-lines.ts';
import { toolEvent } from './tools.ts';

/*
 * What `opencode run --format json --thinking` 1.18.33 prints: a line for each part of a message that is complete, and for
 * each call of a tool that has ended. It tells nothing of its subagents. Each call of the model is a step.
 */

const string = z.string();
/** A thread's name, which becomes an argument of the next turn: no other text passes. */
const sessionID = string.check(z.regex(/^ses_[0-9A-Za-z]{26}$/));

/** What the parser remembers of the lines before. */
interface Memory {
  /** Whether it has told the thread. */
  named: boolean;
  /** The tokens of the steps after which more was to come. */
  counted: Tokens | null;
}

// A new one each time: it gets the number of its line.
const redundant = (): UnnumberedEvent => ({ type: 'redundant' });

const stepStart = shaped(z.object({}), (): Translation => [{ type: 'turn_started' }]);

const text = shaped(
  z.object({ part: z.object({ text: string, synthetic: flag }) }),
  ({ part }): Translation => {
    // What opencode says to its model, or what a model says before it calls a tool: nothing.
    if (part.synthetic || part.text.trim() === '') return [redundant()];
    return [{ type: 'message', text: part.text }];
  },
);

const reasoning = shaped(
  z.object({ part: z.object({ text: string }) }),
  // Of some models it is not told what they thought.
  ({ part: { text } }): Translation => [text.trim() === '' ? redundant() : { type: 'reasoning', text }],
);

const REFUSED = /^The user (rejected permission|has specified a rule)/;

function statusOf(status: string, error: string | null): StepStatus {
  if (status !== 'error') return 'completed';
  return REFUSED.test(error ?? '') ? 'declined' : 'failed';
}

const toolUse = shaped(
  z.object({
    part: z.object({
      id: string,
      tool: string,
      state: z.object({
        status: z.enum(['completed', 'error']),
        input: z.optional(z.unknown()),
        output: orNull(string),
        error: orNull(string),
        metadata: z.optional(z.unknown()),
      }),
    }),
  }),
  ({ part: { id, tool: name, state } }): Translation => {
    const { input, output, error, metadata } = state;
    const status = statusOf(state.status, error);
    return [toolEvent({ id, name, input, result: output ?? error ?? '', metadata, status })];
  },
);

const tokens = z.object({
  input: count,
  output: count,
  reasoning: count,
  cache: z.object({ read: count, write: count }),
});

/** After these the model is called again. */
const GOES_ON = ['tool-calls', 'unknown'];
/** What the reasons for a last step mean that is no good end; null where an error follows that says it. */
const FAILURES: ReadonlyMap<string, string | null> = new Map([
  ['length', 'the answer was cut off: the model reached its output limit'],
  ['error', 'the model ended its answer with an error'],
  ['content-filter', null],
]);

function usageOf(
  memory: Memory,
  call: string,
  own: Tokens,
  goesOn: boolean,
): UnnumberedEvent & { readonly type: 'usage' } {
  const all = memory.counted === null ? own : sumTokens(memory.counted, own);
  memory.counted = goesOn ? all : null;
  const reported = goesOn ? own : all;
  // Zero is also the cost of a model whose price opencode does not know.
  const costUsd = reported.costUsd === 0 ? null : reported.costUsd;
  // While more is to come, a turn that is cut off has used more than was told.
  return { type: 'usage', usage: { ...reported, costUsd, of: goesOn ? { call } : 'since_last' } };
}

const stepFinish = shaped(
  z.object({
    part: z.object({ id: string, reason: string, tokens: lenient(tokens), cost: lenient(amount) }),
  }),
  ({ part: { id, reason, tokens: reported, cost: costUsd } }, memory: Memory): Translation => {
    const goesOn = GOES_ON.includes(reason);
    const events: UnnumberedEvent[] = [];
    if (reported !== null) {
      const { input, output, reasoning, cache } = reported;
      const own = {
        input: input + cache.read + cache.write,
        cachedInput: cache.read,
        output: output + reasoning,
        reasoning,
        costUsd,
      };
      events.push(usageOf(memory, id, own, goesOn));
    }
    const message = FAILURES.get(reason);
    if (!goesOn && message === undefined) events.push({ type: 'turn_completed' });
    if (message) events.push({ type: 'turn_failed', message });
    return events.length === 0 ? [redundant()] : events;
  },
);

/** Names that say less than the message beside them. */
const PLAIN = ['APIError', 'UnknownError'];

const error = shaped(
  z.object({
    error: z.object({
      name: string,
      data: lenient(z.object({ message: lenient(string), statusCode: lenient(count) })),
    }),
  }),
  ({ error: { name, data } }): Translation => {
    const said = data?.message || name;
    const words = PLAIN.includes(name) || said === name ? said : `${name}: ${said}`;
    const status = String(data?.statusCode ?? '');
    return [{ type: 'turn_failed', message: words.includes(status) ? words : `${words} (status ${status})` }];
  },
);

const LINES = new Map<string, (json: object, memory: Memory) => Translation>([
  ['step_start', stepStart],
  ['text', text],
  ['reasoning', reasoning],
  ['tool_use', toolUse],
  ['step_finish', stepFinish],
  ['error', error],
]);

const named = shaped(
  z.looseObject({ type: string, sessionID }),
  ({ type, sessionID: threadId, ...line }, memory: Memory): Translation => {
    const events = LINES.get(type)?.(line, memory) ?? 'unknown';
    if (memory.named || typeof events === 'string') return events;
    memory.named = true;
    return [{ type: 'thread_started', threadId }, ...events];
  },
);

/** A parser for the stream of one `opencode run` process. A known line of the wrong shape is malformed, not unknown. */
export function createOpencodeParser(): LineParser {
  const memory: Memory = { named: false, counted: null };
  return createJsonLineParser((json) => {
    if (!('type' in json) || typeof json.type !== 'string' || !LINES.has(json.type)) return 'unknown';
    return named(json, memory);
  });
}
