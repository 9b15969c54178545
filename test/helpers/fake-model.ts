import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type OnFinished, repositoryFile } from './project.ts';

/** What the model says; the head of `fixtures/fake-model.mjs` explains it. */
export interface ModelScript {
  readonly steps?: readonly object[];
  /** Picked by a user's message that holds `[[name]]`. */
  readonly scenarios?: Readonly<Record<string, readonly object[]>>;
  readonly rules?: readonly { readonly prompt: string; readonly steps: readonly object[] }[];
  readonly after?: 'repeat-last' | 'restart' | 'done';
}

interface Item {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly arguments?: string;
  readonly output?: unknown;
}

/** A request that the model received. */
export interface ModelRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly model: string;
    readonly input: readonly Item[];
    readonly tools: readonly { readonly name?: string }[];
  };
}

/** Starts a stand-in for the model's server, on loopback, that ends with the test. */
export async function startFakeModel(script: ModelScript, finished: OnFinished) {
  const child = spawn(process.execPath, [repositoryFile('fixtures/fake-model.mjs'), '--quiet'], {
    env: { PATH: process.env['PATH'], FAKE_MODEL_SCRIPT: JSON.stringify(script) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  finished(async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url }: { url: string } = JSON.parse(String(line));
  const requests = async (): Promise<ModelRequest[]> => {
    const answer = await fetch(new URL('/_fake/requests', url), { headers: { connection: 'close' } });
    const all: (ModelRequest & { path: string })[] = JSON.parse(await answer.text());
    return all.filter(({ path }) => path.endsWith('/responses'));
  };
  return {
    url,
    /** What it was asked, oldest first. */
    requests,
    /** The same of one thread. */
    requestsOf: async (threadId: string) =>
      (await requests()).filter(({ headers }) => headers['thread-id'] === threadId),
  };
}

// What Codex itself adds to a conversation, as messages of the user.
const ADDED = /^<(environment_context|user_instructions|skills|permissions|turn_aborted)/;

/** What was said and done in a conversation as the model received it, one line each, without what Codex adds to it. */
export function conversationOf({ body }: ModelRequest): string[] {
  return body.input.flatMap((item) => {
    if (item.type === 'function_call') return [`call: ${item.arguments}`];
    if (item.type === 'function_call_output') return [`output: ${JSON.stringify(item.output)}`];
    if (item.role !== 'user' && item.role !== 'assistant') return [];
    const text = (item.content ?? []).map((part) => part.text ?? '').join('\n');
    return ADDED.test(text) ? [] : [`${item.role}: ${text}`];
  });
}
