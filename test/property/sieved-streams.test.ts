import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeStream } from '../../bench/streams.js';
import { codexSieve } from '../../src/agents/codex/sieve.ts';
import { createCodexParser } from '../../src/agents/codex/translate.ts';
import type { TurnFold } from '../../src/core/conversation/fold.ts';
import type { TurnOutcome } from '../../src/core/conversation/outcome.ts';
import type { TurnWords } from '../../src/core/conversation/words.ts';
import type { Sieve } from '../../src/core/events.ts';
import { cutText } from '../../src/core/session.ts';
import { readOutcome, readTerminal, readThreadId } from '../../src/manager/glance.ts';
import { readWords } from '../../src/manager/said.ts';
import { readSteps, type TurnStream } from '../../src/manager/stream.ts';
import { readBackwards } from '../../src/store/backwards.ts';
import { readLines, readSieved } from '../../src/store/lines.ts';
import { emptyDirectory } from '../helpers/directory.ts';
import { anyLines, anyText, fc, recordedStreams, runs } from '../helpers/fuzz.ts';

/* The fast ways to read a stream (sieved, and from its end) against the plain one, in which every line is parsed. */

const parser = createCodexParser('0.169.0');

function passes(line: string): boolean {
  const { buffer } = new Uint8Array(Buffer.from(line));
  return codexSieve(new DataView(buffer), 0, buffer.byteLength) === 'step';
}

/** A step in whose midst something is wrong: that nobody looks at who passes it over. */
function isSpoiltInside(line: string): boolean {
  return passes(line) && parser({ seq: 0, text: line }).some(({ type }) => type === 'malformed');
}

function permuted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, permuted(inner)]),
  );
}

function changed(line: string, change: (value: unknown) => string): string {
  try {
    return change(JSON.parse(line)).replaceAll('\n', '');
  } catch {
    return line;
  }
}

const WRITERS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line,
  (line) => changed(line, (value) => JSON.stringify(permuted(value))),
  (line) => changed(line, (value) => JSON.stringify(value, null, 1)),
  (line) => line.slice(0, Math.floor(line.length * 0.7)),
];

const recorded = recordedStreams().map(({ bytes }) => bytes.toString().split('\n'));

const anyStream: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: anyLines }, { weight: 1, arbitrary: fc.constantFrom(...recorded) }),
    fc.infiniteStream(fc.constantFrom(...WRITERS)),
    fc.constantFrom('', '\n'),
  )
  .map(([lines, writers, end]) =>
    lines
      .map((line) => (writers.next().value as (line: string) => string)(line))
      .filter((line) => !isSpoiltInside(line))
      .join('\n')
      .concat(end),
  );

const anySizes = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constant(1 << 16)),
    fc.constantFrom(300, 5000, 1 << 26),
  )
  .map(([block, longest]) => ({ block, longest }));

type MakeStream = (content: string | Buffer, ended?: boolean, limit?: number | null) => TurnStream;

/** Writes one stream after the other into the same file. */
function createStreams(): MakeStream {
  const path = join(emptyDirectory(), 'events.jsonl');
  return (content, ended = true, limit = null) => {
    writeFileSync(path, content);
    return { path, range: { limit, ended }, parse: createCodexParser('0.169.0'), sieve: codexSieve };
  };
}

/** What was said, with all messages in a list. */
function wordsOf(words: TurnWords): TurnWords & { readonly messages: readonly string[] } {
  const { steps: _steps, ...rest } = words as TurnFold;
  return { ...rest, messages: [...words.messages] };
}

// What may stand between the quotes of a text, and what may not.
const anyBody = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: anyText.map((text) => Buffer.from(JSON.stringify(text).slice(1, -1))) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('\\', '\\u00', '\\uzzzz', '\\x', '"', '"}}', '\t', '\0').map(Buffer.from),
      },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)) },
    ),
    { maxLength: 5 },
  )
  .map((pieces) => Buffer.concat(pieces));

test('a thought and a message are known for what they are read as, and as nothing else', () => {
  fc.assert(
    fc.property(
      anyBody,
      fc.constantFrom('reasoning', 'agent_message'),
      fc.constantFrom('started', 'updated', 'completed'),
      fc.constantFrom('"}}', '"}} ', '"}', '"},"a":1}', '"}}"}}'),
      (body, kind, phase, end) => {
        const begin = `{"type":"item.${phase}","item":{"id":"item_1","type":"${kind}","text":"`;
        const line = Buffer.concat([Buffer.from(begin), body, Buffer.from(end)]);
        const { buffer } = new Uint8Array(line);
        const known = codexSieve(new DataView(buffer), 0, line.length);
        // A newline ends a line: none has one within.
        if (line.includes(10)) return;
        const read = parser({ seq: 0, text: line.toString() }).map(({ type }) => type);
        const isRead = read.join() === (kind === 'reasoning' ? 'reasoning' : 'message');
        const right = kind === 'reasoning' ? 'step' : 'message';
        if (end === '"}}') expect(known).toBe(isRead ? right : null);
        else expect([null, isRead ? right : null]).toContain(known);
      },
    ),
    runs(20),
  );
});

function outcomeOf({ threadId, answer, usage, terminal }: TurnWords): TurnOutcome {
  return { threadId, answer: answer === null ? null : cutText(answer), usage, terminal };
}

test('what was said is the same whether steps are passed over or parsed, in blocks of any size', () => {
  const streamOf = createStreams();
  fc.assert(
    fc.property(
      anyStream,
      fc.integer({ min: 1, max: 300 }),
      fc.boolean(),
      fc.option(fc.nat(3000)),
      (content, block, ended, limit) => {
        const stream = streamOf(content, ended, limit);
        expect(wordsOf(readWords(stream, { block, longest: 1 << 26 }))).toEqual(wordsOf(readSteps(stream)));
      },
    ),
    runs(3),
  );
});

test('lines keep their numbers, and those that are passed over are told once for each run', () => {
  const streamOf = createStreams();
  fc.assert(
    fc.property(anyStream, anySizes, (content, sizes) => {
      const { path, range } = streamOf(content);
      const all = [...readLines(path, range, sizes)];
      const expected = all.flatMap((line, i): unknown[] => {
        if (!passes(line.text ?? '')) return [line];
        const next = all[i + 1];
        return next !== undefined && passes(next.text ?? '') ? [] : [{ seq: line.seq, type: 'passed_over' }];
      });
      expect([...readSieved(path, range, codexSieve, sizes)]).toEqual(expected);
    }),
  );
});

test('a stream as it is in use: most of it is passed over, and the words are the same', () => {
  const streamOf = createStreams();
  const stream = streamOf('');
  writeStream(stream.path, { bytes: 3_000_000, line: 1_000_000 });
  const words = wordsOf(readWords(stream));
  const all = readSteps(stream);
  expect(words).toEqual(wordsOf(all));
  expect(words.messages.length).toBeGreaterThan(30);
  let kept = 0;
  for (const line of readSieved(stream.path, stream.range, codexSieve)) if ('text' in line) kept += 1;
  expect(kept).toBe(words.messages.length + 3);
});

const anyPortions = fc
  .tuple(fc.integer({ min: 1, max: 400 }), anySizes)
  .map(([last, sizes]) => ({ ...sizes, longest: 1 << 26, last }));
const anySieve: fc.Arbitrary<Sieve | null> = fc.constantFrom(codexSieve, null);

test('portions from the end have together the lines of the stream', () => {
  const streamOf = createStreams();
  fc.assert(
    fc.property(
      anyStream,
      anyPortions,
      fc.boolean(),
      fc.option(fc.nat(3000)),
      (content, sizes, ended, limit) => {
        const { path, range } = streamOf(content, ended, limit);
        const texts = [...readLines(path, range)].map(({ text }) => text);
        const portions: (string | null)[][] = [];
        let begins = Number.POSITIVE_INFINITY;
        for (const { from, lines } of readBackwards(path, range, null, sizes)) {
          expect(from).toBeLessThan(begins);
          begins = from;
          portions.unshift([...lines].map((line) => ('text' in line ? line.text : '')));
        }
        expect(portions.flat()).toEqual(texts);
      },
    ),
    runs(2),
  );
});

test('what a turn that is over came to is found from its end just as by reading all of it', () => {
  const streamOf = createStreams();
  fc.assert(
    fc.property(anyStream, anyPortions, anySieve, fc.option(fc.nat(3000)), (content, sizes, sieve, limit) => {
      const stream = { ...streamOf(content, true, limit), sieve };
      const whole = outcomeOf(readSteps(stream));
      expect(readOutcome(stream, sizes)).toEqual(whole);
      expect(readTerminal(stream, sizes)).toEqual(whole.terminal);
      expect(readThreadId(stream)).toBe(whole.threadId);
    }),
    runs(3),
  );
});

test('of a turn that goes on, the last answer is found, and the thread that is named at its beginning', () => {
  const streamOf = createStreams();
  const begin = '{"type":"thread.started","thread_id":"01a1f880-c978-76c0-be58-213b143ff767"}\n';
  fc.assert(
    fc.property(anyStream, anyPortions, (content, sizes) => {
      const stream = streamOf(begin + content, false);
      const { threadId, answer } = outcomeOf(readSteps(stream));
      expect(readOutcome(stream, sizes)).toMatchObject({ threadId, answer });
    }),
  );
});
