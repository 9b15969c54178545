import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCodexParser } from '../../src/agents/codex/translate.ts';
import { createFolder, type TurnFold } from '../../src/core/conversation/fold.ts';
import { messagesOf, withoutMessages } from '../../src/core/conversation/session-reader.ts';
import { openConversation } from '../../src/manager/session/read-session.ts';
import { readOutcome, readTerminal, readThreadId } from '../../src/manager/turn/turn-outcome.ts';
import { readMessages, type TurnStream } from '../../src/manager/turn/turn-stream.ts';
import { renderSession } from '../../src/render/session.ts';
import { createStyle } from '../../src/render/style.ts';
import { LINE_SIZES, readLines } from '../../src/store/read-forward.ts';
import { readFromEnd } from '../../src/store/read-from-end.ts';
import { emptyDirectory } from '../helpers/directory.ts';
import { anyLines, fc, recordedStreams, runs } from '../helpers/fuzz.ts';
import { createStoredSession, ID } from '../helpers/store.ts';

/* A stream is read forward and from its end, with its steps and without: all of them tell the same. */

const recorded = recordedStreams().map(({ bytes }) => bytes.toString().split('\n'));

const anyStream: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: anyLines }, { weight: 1, arbitrary: fc.constantFrom(...recorded) }),
    fc.constantFrom('', '\n'),
  )
  .map(([lines, end]) => lines.join('\n').concat(end));

const anySizes = fc
  .tuple(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constant(1 << 16)), fc.integer({ min: 1, max: 400 }))
  .map(([block, last]) => ({ ...LINE_SIZES, block, last }));

/** Writes one stream after the other into the same file. */
function createStreams() {
  const path = join(emptyDirectory(), 'events.jsonl');
  return (content: string | Buffer, ended = true, limit: number | null = null): TurnStream => {
    writeFileSync(path, content);
    return {
      path,
      range: { limit, ended },
      newParser: () => createCodexParser('0.169.0'),
      readsWhole: false,
      isReadable: true,
      threadId: null,
    };
  };
}

function readForward(stream: TurnStream): TurnFold {
  const folder = createFolder();
  for (const _ of readMessages(stream, folder));
  return folder.result();
}

test('portions from the end have together the lines of the stream', () => {
  const streamOf = createStreams();
  const anyLimit = fc.option(fc.nat(3000));
  void fc.assert(
    fc.property(anyStream, anySizes, fc.boolean(), anyLimit, (content, sizes, ended, limit) => {
      const { path, range } = streamOf(content, ended, limit);
      const texts = [...readLines(path, range)].map(({ text }) => text);
      const portions: (string | null)[][] = [];
      let before = -1;
      for (const { lines, behind } of readFromEnd(path, range, sizes)) {
        expect(behind).toBeGreaterThan(before);
        before = behind;
        portions.unshift([...lines].map(({ text }) => text));
      }
      expect(portions.flat()).toEqual(texts);
    }),
    runs(2),
  );
});

test('what a turn that is over came to is found from its end just as by reading all of it', () => {
  const streamOf = createStreams();
  void fc.assert(
    fc.property(anyStream, anySizes, fc.option(fc.nat(3000)), (content, sizes, limit) => {
      // A thread is looked for at the beginning alone.
      fc.pre(content.length < 1 << 14);
      const stream = streamOf(content, true, limit);
      const whole = readForward(stream);
      const { threadId, model, answer, tokens, terminal } = whole;
      expect(readOutcome(stream, sizes)).toEqual({ threadId, model, answer, tokens, terminal });
      expect(readTerminal(stream, sizes)).toEqual(whole.terminal);
      expect(readThreadId(stream)).toBe(whole.threadId);
    }),
    runs(3),
  );
});

test('of a turn that goes on, the last answer is found, and the thread that is named at its beginning', () => {
  const streamOf = createStreams();
  const begin = '{"type":"thread.started","thread_id":"01a1f880-c978-76c0-be58-213b143ff767"}\n';
  void fc.assert(
    fc.property(anyStream, anySizes, (content, sizes) => {
      const stream = streamOf(begin + content, false);
      const { threadId, answer } = readForward(stream);
      expect(readOutcome(stream, sizes)).toMatchObject({ threadId, answer });
    }),
  );
});

/** A session of one turn whose stream can be exchanged. */
function createSession() {
  const store = createStoredSession();
  const turn = join(store.root, 'sessions', ID, 'turns', '1');
  const end = { why: null, detail: null, cancelled: false, uptime: null, ended_at: null, events_bytes: null };
  writeFileSync(join(turn, 'exit.json'), JSON.stringify({ v: 1, code: 0, ...end }));
  return {
    write: (content: string | Buffer) => writeFileSync(join(turn, 'events.jsonl'), content),
    read: () => openConversation({ store, id: ID }, Date.now()),
  };
}

const style = createStyle({ NO_COLOR: '1' }, { isTTY: true, columns: 80 }, 0);

test('show and show --json, with all that was done and without, tell the same of every stream', async () => {
  const { write, read } = createSession();
  const check = async (content: string | Buffer): Promise<void> => {
    write(content);
    const unread = withoutMessages(await read());
    for (const full of [false, true]) {
      const session = await read();
      const messages = [...messagesOf(session, full)];
      expect(withoutMessages(session)).toEqual(unread);
      const said = messages.filter(({ role }) => role === 'assistant').at(-1)?.content ?? null;
      expect(unread.turns[0]?.answer).toBe(said);
      const shown = await read();
      const page = [
        ...renderSession(shown, { ...style, width: Number.POSITIVE_INFINITY }, { full, time: false }),
      ].join('');
      expect(withoutMessages(shown)).toEqual(unread);
      for (const warning of unread.turns[0]?.warnings ?? []) {
        if (/^[\w ;]+$/.test(warning)) expect(page).toContain(`! ${warning}`);
      }
    }
  };
  for (const { bytes } of recordedStreams()) await check(bytes);
  await fc.assert(fc.asyncProperty(anyStream, check), runs(0.3));
});
