import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { OnFinished } from './project.ts';

/** What the model does when it is asked: it says something, calls tools, or fails. */
export interface ModelStep {
  readonly text?: string;
  readonly tools?: readonly (readonly [name: string, input: object])[];
  /** A status of HTTP in place of an answer. */
  readonly error?: number;
  /** The connection goes in the middle of the answer. */
  readonly cut?: boolean;
  /** The words with which the conversation begins that takes this step: a subagent's. Without them, any other takes it. */
  readonly of?: string;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly input?: object;
  readonly content?: string | readonly Block[];
}

/** A request of the Messages API, as far as it matters here. */
interface ModelRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly object[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

const ERRORS: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const USAGE = {
  input_tokens: 1000,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 200,
  output_tokens: 30,
};

function send(response: ServerResponse, events: readonly { readonly type: string }[]): void {
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

const deltaOf = ({ type, text, input }: Block): object =>
  type === 'text'
    ? { type: 'text_delta', text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(input) };

/** What was said and done in a request, one line each, without what the agent adds by itself. */
function linesOf({ messages }: ModelRequest): string[] {
  const blocksOf = (content: ModelRequest['messages'][number]['content']): readonly Block[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const textOf = (content: Block['content']): string =>
    typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n');
  return messages.flatMap(({ role, content }) =>
    blocksOf(content).flatMap(({ type, text = '', name, input, content: result }) => {
      if (type === 'tool_use') return [`call: ${name} ${JSON.stringify(input)}`];
      if (type === 'tool_result') return [`result: ${textOf(result)}`];
      return role === 'system' || text.startsWith('<system-reminder>') ? [] : [`${role}: ${text}`];
    }),
  );
}

/**
 * Starts a stand-in for the Anthropic Messages API, on loopback, that ends with the test. Each request that offers tools
 * takes the next step of its conversation, and the last one again and again; others are answered with a word.
 */
export async function startAnthropicModel(steps: readonly ModelStep[], finished: OnFinished) {
  const requests: ModelRequest[] = [];
  const subagents = new Set(steps.flatMap((step) => step.of ?? []));
  const asked = new Map<string | undefined, number>();
  const nextStep = (request: ModelRequest): ModelStep => {
    const first = linesOf(request).find((line) => line.startsWith('user: '));
    const of = [...subagents].find((words) => first?.startsWith(`user: ${words}`));
    const own = steps.filter((step) => step.of === of);
    const before = asked.get(of) ?? 0;
    asked.set(of, before + 1);
    return own[Math.min(before, own.length - 1)] ?? {};
  };
  let at = 0;
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.end();
      return;
    }
    const body = (await json(request)) as ModelRequest;
    const isMain = (body.tools ?? []).length > 0;
    const step = isMain ? nextStep(body) : { text: 'ok' };
    if (isMain) {
      at += 1;
      requests.push(body);
    }
    if (step.error !== undefined) {
      response.writeHead(step.error, { 'content-type': 'application/json' });
      const error = { type: ERRORS[step.error] ?? 'api_error', message: `it was refused with ${step.error}` };
      response.end(JSON.stringify({ type: 'error', error }));
      return;
    }
    const content: Block[] = [
      ...(step.text === undefined ? [] : [{ type: 'text', text: step.text }]),
      ...(step.tools ?? []).map(([name, input], i) => ({
        type: 'tool_use',
        id: `toolu_${at}_${i}`,
        name,
        input,
      })),
    ];
    const stop_reason = step.tools === undefined ? 'end_turn' : 'tool_use';
    const message = {
      id: `msg_${at}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      stop_sequence: null,
    };
    if (!body.stream) {
      if (step.cut) return void request.socket.destroy();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...message, content, stop_reason, usage: USAGE }));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    const begun = { ...message, content: [], stop_reason: null, usage: { ...USAGE, output_tokens: 1 } };
    send(response, [{ type: 'message_start', message: begun } as { type: string }]);
    for (const [index, block] of content.entries()) {
      const empty = block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
      send(response, [
        { type: 'content_block_start', index, content_block: empty } as { type: string },
        { type: 'content_block_delta', index, delta: deltaOf(block) } as { type: string },
      ]);
      if (step.cut) return void request.socket.destroy();
      send(response, [{ type: 'content_block_stop', index } as { type: string }]);
    }
    const delta = { stop_reason, stop_sequence: null };
    send(response, [
      { type: 'message_delta', delta, usage: USAGE } as { type: string },
      { type: 'message_stop' },
    ]);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  finished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** The conversation as the model was sent it last, one line for each message, call and result. */
    told: (): readonly string[] => {
      const last = requests.at(-1);
      return last === undefined ? [] : linesOf(last);
    },
  };
}
