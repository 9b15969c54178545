import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findAgent } from '../../src/agents/registry.ts';
import { createStepList } from '../../src/core/conversation/step-list.ts';
import { stepsInOrder } from '../../src/core/conversation/steps-in-order.ts';
import type { LineParser } from '../../src/core/events.ts';
import { createMatcher, type Query } from '../../src/core/search/matcher.ts';
import { prefilterOf } from '../../src/core/search/prefilter.ts';
import { textsOf } from '../../src/core/search/texts.ts';
import { eventsOf } from '../../src/manager/turn/turn-stream.ts';
import { readLines } from '../../src/store/read-forward.ts';
import { mayContain } from '../../src/store/scan-bytes.ts';
import { emptyDirectory } from '../helpers/directory.ts';
import { anyText, fc, runs } from '../helpers/fuzz.ts';
import { createProject, repositoryFile } from '../helpers/project.ts';

/* The look at the bytes may let a stream pass in which nothing is found, but never leave one out in which something is. */

const HISTORIES = readdirSync(repositoryFile('fixtures/streams'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => ({ name, content: readFileSync(repositoryFile(`fixtures/streams/${name}`), 'utf8') }))
  .filter(({ content }) => content.length < 40_000);

async function parserFor(name: string): Promise<LineParser> {
  const adapter = findAgent(name.slice(0, name.indexOf('-')));
  if (!name.endsWith('.rollout.jsonl')) return (await adapter?.loadParser(null))?.() ?? (() => []);
  const read = (await adapter?.history?.files?.loadReader())?.();
  return (line) => read?.(line).events ?? [];
}

/** JSON in which characters are written as escapes where `chosen` says so. */
function encode(value: unknown, chosen: () => boolean): string {
  if (typeof value === 'string') {
    const asNumber = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    const units = value.split('').map((unit) => {
      if (/[\ud800-\udfff]/.test(unit) || chosen()) return asNumber(unit);
      return unit === '/' ? '\\/' : JSON.stringify(unit).slice(1, -1);
    });
    return `"${units.join('')}"`.replace(/\\ud[89ab]..\\ud[c-f]../g, (pair) =>
      chosen() ? pair : JSON.parse(`"${pair}"`),
    );
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => encode(one, chosen)).join()}]`;
  const fields = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${encode(one, chosen)}`);
  return `{${fields.join()}}`;
}

function encodeLine(line: string, chosen: () => boolean): string {
  try {
    return encode(JSON.parse(line), chosen);
  } catch {
    return line;
  }
}

/** A generator of yes and no; the same numbers give the same answers. */
function chooser(seed: number, share: number): () => boolean {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31 < share;
  };
}

const quote = (text: string): string => text.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&');

/** Queries that find a piece of a line: as it is, in other letters, and as expressions. */
const QUERIES: readonly ((piece: string) => Query)[] = [
  (piece) => ({ words: [piece] }),
  (piece) => ({ words: [piece.toLowerCase()] }),
  (piece) => ({ words: piece.split(/(?=[\s,])/) }),
  (piece) => ({ regex: quote(piece) }),
  (piece) => ({ regex: quote(piece.toLowerCase()) }),
  (piece) => ({ regex: Array.from(piece, (one, i) => (i % 5 === 4 ? '.' : quote(one))).join('') }),
  (piece) => ({
    regex: Array.from(piece, (one, i) => `${quote(one)}${['', '+', '', 'x*', 'z{0,2}?', ''][i % 6]}`).join(
      '',
    ),
  }),
  (piece) => ({ regex: `(?:${quote(piece)}|nothing)` }),
  (piece) => ({ regex: `nothing of this|${quote(piece)}` }),
  (piece) => ({ regex: `[\\]x]?\\b?${quote(piece)}`.replace('\\b?', '') }),
];

test('no line of any agent is missed, however its stream is written and wherever a block ends', async () => {
  const path = join(emptyDirectory(), 'events.jsonl');
  const anyQuery = fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 12 }), fc.constantFrom(...QUERIES));
  let looked = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...HISTORIES),
      fc.array(anyQuery, { minLength: 5, maxLength: 10 }),
      fc.tuple(fc.nat(), fc.constantFrom(0, 0.02, 0.5, 1)),
      fc.integer({ min: 1, max: 300 }),
      async ({ name, content }, queries, [seed, share], block) => {
        const chosen = chooser(seed, share);
        writeFileSync(
          path,
          content
            .split('\n')
            .map((line) => encodeLine(line, chosen))
            .join('\n'),
        );
        const events = eventsOf(readLines(path, { limit: null, ended: true }), await parserFor(name));
        const steps = [...stepsInOrder(createStepList(), events, true)].map(({ step }) => step);
        const lines = steps.flatMap((step) => [...textsOf(step)]).flatMap(({ text }) => text.split('\n'));
        for (const [which, start, length, toQuery] of queries) {
          const line = Array.from(lines[which % lines.length] ?? '');
          const piece = line.slice(start % line.length, (start % line.length) + length).join('');
          if (piece === '') continue;
          const query = toQuery(piece);
          const prefilter = prefilterOf(query);
          if (prefilter === null || createMatcher(query)(line.join('')) === null) continue;
          looked += 1;
          expect.soft(mayContain(path, prefilter, block), `${name}: ${JSON.stringify(query)}`).toBe(true);
        }
      },
    ),
    runs(3),
  );
  expect(looked).toBeGreaterThan(runs(3).numRuns);
});

test('a search finds each line that holds all words, and no other', async () => {
  const project = createProject();
  const id = await project.ended(['x']);
  const short = anyText.filter(({ length }) => length < 50);
  const said = fc.array(
    fc.oneof(short, fc.constantFrom('Ärger', 'naïve', 'K', '漢字', '😀 ok', 'foo\r\nbar', '\n')),
    {
      maxLength: 8,
    },
  );
  const anyWords = fc.array(fc.constantFrom('är', 'Ä', 'ï', 'k', 'K', '字', '😀', 'o', 'foo', 'bar', ' ok'), {
    minLength: 1,
    maxLength: 2,
  });
  await fc.assert(
    fc.asyncProperty(said, anyWords, fc.nat(), async (parts, words, seed) => {
      const text = Buffer.from(parts.join('')).toString();
      const item = { id: 'i', type: 'agent_message', text };
      const line = encode({ type: 'item.completed', item }, chooser(seed, 0.2));
      writeFileSync(project.turnFile(id, 1, 'events.jsonl'), `${line}\n`);
      writeFileSync(project.turnFile(id, 1, 'exit.json'), '{"v":1,"code":0}');
      const expected = text
        .split(/\r?\n/)
        .filter((one) =>
          words.every((word) =>
            word === word.toLowerCase() ? one.toLowerCase().includes(word) : one.includes(word),
          ),
        );
      const found = JSON.parse(await project.ok(['search', '--json', '--in', 'answer', '--', ...words]));
      expect(found.map(({ line }: { readonly line: string }) => line)).toEqual(expected);
    }),
  );
});
