import * as z from 'zod/mini';
import type { HistoryReader } from '../../core/conversation/session-file.ts';
import { createTokenCounter } from '../../core/conversation/turn-tokens.ts';
import { decodeOrNull, flag, lenient, orNull, path } from '../../core/decode.ts';
import type { UnnumberedEvent } from '../../core/events.ts';
import { createHistoryReader, type LineFacts } from '../history-lines.ts';
import { type Translation, threadId } from '../json-lines.ts';
import { createClaudeTranslator } from './translate.ts';

/*
 * The lines of Claude Code's session files (2.1.197 to 2.1.328). Messages have the shape that they have in its stream; most
 * other lines are for Claude Code alone. Each message names the one that it follows: a user who goes back to an earlier
 * message begins another branch in the same file.
 */

const string = z.string();

const anyLine = z.object({
  type: string,
  uuid: lenient(string),
  parentUuid: lenient(string),
  // Of the first message after a compaction.
  logicalParentUuid: lenient(string),
  timestamp: lenient(string),
  sessionId: lenient(threadId),
  cwd: lenient(path),
  version: lenient(string),
  isSidechain: flag,
  isMeta: flag,
  isCompactSummary: flag,
});
type AnyLine = z.infer<typeof anyLine>;

const assistant = z.object({
  message: z.object({ model: lenient(string), stop_reason: orNull(string) }),
  isApiErrorMessage: flag,
});

const user = z.looseObject({
  message: z.object({ content: z.union([string, z.array(z.unknown())]) }),
  toolUseResult: z.optional(z.unknown()),
  permissionDecision: z.optional(z.unknown()),
});
const textBlock = z.object({ type: z.literal('text'), text: string });
const resultBlock = z.object({ type: z.literal('tool_result'), tool_use_id: string });

/** What the program writes in the name of its user: commands of its own and what they printed. */
const NO_PROMPT = /^<(?:command-|local-command-|bash-|system-reminder|task-notification)/;
const INTERRUPTED = /^\[Request interrupted by user/;

const redundant = (): Translation => [{ type: 'redundant' }];

/** After that the model goes on. */
const GOES_ON = ['tool_use', 'pause_turn'];

/** Reads the messages of one file: what they are in the words of the stream, with their tokens. */
function createMessages() {
  const translate = createClaudeTranslator();
  let tokens = createTokenCounter();
  let last: string | null = null;

  /** The tokens of all calls of the turn, once it is complete. */
  function total(): UnnumberedEvent[] {
    const counted = tokens.result();
    tokens = createTokenCounter();
    if (counted === null) return [];
    const { cumulative, partial, ...usage } = counted;
    return [{ type: 'usage', usage: { ...usage, of: 'since_last' } }];
  }

  return {
    said(json: object, { message, isApiErrorMessage: failed }: z.infer<typeof assistant>): Translation {
      const means = translate({ ...json, error: failed ? 'api' : null });
      if (typeof means === 'string') return means;
      const reported = means.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
      const [call] = reported.map(({ of }) => (typeof of === 'object' ? of.call : null));
      // The blocks of one message are lines of their own, each with the tokens of all.
      const isCounted = call !== undefined && call === last;
      const events = isCounted ? means.filter(({ type }) => type !== 'usage') : [...means];
      if (!isCounted) for (const usage of reported) tokens.add(usage);
      const text = means.find((event) => event.type === 'warning')?.message;
      if (failed) return [...events, { type: 'turn_failed', message: text ?? 'the provider has failed' }];
      if (message.stop_reason === null || GOES_ON.includes(message.stop_reason)) return events;
      last = call ?? null;
      return [...events, ...(isCounted ? [] : total()), { type: 'turn_completed' }];
    },
    results(
      json: object,
      { toolUseResult, permissionDecision }: z.infer<typeof user>,
      ids: readonly string[],
    ) {
      const meta = ids.map((id) => ({ id, permission_decision: permissionDecision }));
      return translate({ ...json, tool_use_result: toolUseResult, tool_result_meta: meta });
    },
  };
}

function nodeOf({ uuid, parentUuid, logicalParentUuid }: AnyLine): LineFacts {
  return uuid === null ? {} : { node: { id: uuid, parent: parentUuid ?? logicalParentUuid } };
}

function threadOf({ sessionId: id, cwd: directory, version }: AnyLine): LineFacts {
  return id === null || directory === null || version === null ? {} : { thread: { id, directory, version } };
}

/** A reader for one of Claude Code's session files. */
export function createTranscriptReader(): HistoryReader {
  const messages = createMessages();
  return createHistoryReader((json) => {
    const line = decodeOrNull(anyLine, json);
    if (line === null) return { facts: {}, means: 'malformed' };
    const facts: LineFacts = {
      at: line.timestamp,
      ...threadOf(line),
      ...(line.isSidechain ? {} : nodeOf(line)),
    };
    if (line.isSidechain || line.isMeta || line.isCompactSummary) return { facts, means: redundant() };
    if (line.type === 'assistant') {
      const said = decodeOrNull(assistant, json);
      if (said === null) return { facts, means: 'malformed' };
      const model = said.isApiErrorMessage ? null : said.message.model;
      return { facts: { ...facts, model }, means: messages.said(json, said) };
    }
    if (line.type !== 'user') return { facts, means: redundant() };
    const asked = decodeOrNull(user, json);
    if (asked === null) return { facts, means: 'malformed' };
    const { content } = asked.message;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const ids = blocks.flatMap((block) => decodeOrNull(resultBlock, block)?.tool_use_id ?? []);
    if (ids.length > 0) return { facts, means: messages.results(json, asked, ids) };
    const text = blocks.flatMap((block) => decodeOrNull(textBlock, block)?.text ?? []).join('\n');
    if (INTERRUPTED.test(text)) return { facts: { ...facts, interrupted: true }, means: redundant() };
    const prompt = NO_PROMPT.test(text) ? null : text;
    return { facts: { ...facts, prompt }, means: redundant() };
  });
}
