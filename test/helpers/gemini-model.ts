import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { OnFinished } from './project.ts';

/** What the model is told of a call, as the host puts it. */
interface Told {
  readonly output?: string;
  readonly error?: string;
}

interface Part {
  readonly functionCall?: { readonly name: string; readonly args: object };
  readonly functionResponse?: { readonly response: Told };
  readonly text?: string;
}

/** A request of the Gemini API, as far as it matters here. */
interface GeminiRequest {
  readonly contents?: readonly { readonly role: string; readonly parts: readonly Part[] }[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
}

/**
 * Starts a stand-in for the Gemini API, on loopback, that ends with the test. It calls one tool after the other, by the
 * end of the name under which the host offers it, and then says `last`. Requests without tools are answered with `{}`.
 */
export async function startGeminiModel(
  calls: readonly { readonly tool: string; readonly args: object }[],
  last: string,
  finished: OnFinished,
) {
  const requests: GeminiRequest[] = [];
  const answerTo = ({ contents = [], tools = [] }: GeminiRequest): Part => {
    const offered = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
    if (offered.length === 0) return { text: '{}' };
    // As many calls as it has made are in the conversation.
    const made = contents.flatMap(({ parts }) => parts.filter(({ functionCall }) => functionCall)).length;
    const next = calls[made];
    if (next === undefined) return { text: last };
    const name = offered.find((one) => one.name.endsWith(next.tool))?.name ?? next.tool;
    return { functionCall: { name, args: next.args } };
  };
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as GeminiRequest;
    requests.push(body);
    const content = { role: 'model', parts: [answerTo(body)] };
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const answer = JSON.stringify({
      candidates: [{ content, finishReason: 'STOP', index: 0 }],
      usageMetadata,
    });
    const isStream = request.url?.includes('alt=sse');
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
    response.end(isStream ? `data: ${answer}\n\n` : answer);
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
    /** What it was told of each call. */
    told: (): readonly Told[] => {
      const all = requests.findLast(({ tools }) => tools !== undefined)?.contents ?? [];
      return all.flatMap(({ parts }) => parts.flatMap((part) => part.functionResponse?.response ?? []));
    },
  };
}
