import { expect, test } from 'vitest';
import { createClaudeParser } from '../../src/agents/claude/translate.ts';
import { createCodexParser } from '../../src/agents/codex/translate.ts';
import { createDemoParser } from '../../src/agents/demo/translate.ts';
import { createOpencodeParser } from '../../src/agents/opencode/translate.ts';
import { createFolder, foldEvents } from '../../src/core/conversation/fold.ts';
import { stepLine } from '../../src/core/conversation/steps.ts';
import type { AgentEvent, LineParser } from '../../src/core/events.ts';
import { renderJson } from '../../src/render/json.ts';
import { renderMarkdown } from '../../src/render/markdown/markdown.ts';
import { renderProgress } from '../../src/render/progress.ts';
import { renderSession } from '../../src/render/session.ts';
import { createStyle, type Style } from '../../src/render/style.ts';
import { DRIVES, plain } from '../helpers/display.ts';
import { foldWhole } from '../helpers/fold.ts';
import { anyLines, fc, runs } from '../helpers/fuzz.ts';
import { readerOf, sessionOf, summaryOf } from '../helpers/views.ts';

const PARSERS: readonly [name: string, create: () => LineParser][] = [
  ['codex', () => createCodexParser('0.169.0')],
  ['an older codex', () => createCodexParser('0.36.0')],
  ['claude', createClaudeParser],
  ['opencode', createOpencodeParser],
  ['demo', createDemoParser],
];

/** The events of the lines that are not empty, line by line; text that is null was too long. */
function parse(lines: readonly (string | null)[], parser: LineParser): (readonly AgentEvent[])[] {
  return lines.flatMap((text, seq) => (text === '' ? [] : [parser({ seq, text })]));
}

const anyStream = anyLines.chain((lines) =>
  // Now and then a line that was too long to be read.
  fc.option(fc.nat(lines.length)).map((at) => (at === null ? lines : lines.toSpliced(at, 0, null as never))),
) as fc.Arbitrary<(string | null)[]>;

test('the generated streams reach every kind of event', () => {
  const streams = fc.sample(anyStream, { numRuns: 300, seed: 1 });
  const events = streams.flatMap((lines) => PARSERS.flatMap(([, create]) => parse(lines, create()).flat()));
  const kinds = `command file_change malformed message plan reasoning redundant retry thread_started tool_call
    turn_completed turn_failed turn_started unknown usage warning`.split(/\s+/);
  expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(kinds);
});

test.each(PARSERS)('%s: every line is known, unknown or malformed, and the counts add up', (_, create) => {
  void fc.assert(
    fc.property(anyStream, (lines) => {
      const parsed = parse(lines, create());
      const numbers = lines.flatMap((text, seq) => (text === '' ? [] : [seq]));
      const counts = { unknown: 0, malformed: 0 };
      expect(parsed).toHaveLength(numbers.length);
      for (const [i, events] of parsed.entries()) {
        const types = events.map((event) => event.type);
        expect(types.length).toBeGreaterThan(0);
        expect(events.every((event) => event.seq === numbers[i])).toBe(true);
        for (const type of ['unknown', 'malformed'] as const) {
          if (!types.includes(type)) continue;
          expect(events).toEqual([{ seq: numbers[i], type, raw: lines[numbers[i] ?? -1] }]);
          counts[type] += 1;
        }
      }
      expect(foldEvents(parsed.flat())).toMatchObject(counts);
    }),
  );
});

test.each(PARSERS)('%s: the same lines give the same each time, looked at in between or not', (_, create) => {
  void fc.assert(
    fc.property(anyStream, (lines) => {
      const whole = parse(lines, create()).flat();
      const folder = createFolder();
      for (const event of parse(lines, create()).flat()) {
        folder.add(event);
        folder.result();
      }
      expect(parse(lines, create()).flat()).toEqual(whole);
      expect(folder.result()).toEqual(foldEvents(whole));
    }),
  );
});

const style = createStyle({ NO_COLOR: '1' }, { isTTY: true, columns: 80 }, 0);

test.each(PARSERS)('%s: whatever came of it can be shown, harmlessly, and printed as JSON', (_, create) => {
  void fc.assert(
    fc.property(anyStream, (lines) => {
      const { steps, warnings, answer } = foldWhole(parse(lines, create()).flat(), true);
      const session = sessionOf({}, [readerOf({ warnings, answer }, { steps })]);
      const page = (full: boolean, drawn: Style) =>
        [...renderSession(session, drawn, { full, time: false })].join('');
      const json = renderJson({ warnings, answer, steps });
      expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify({ warnings, answer, steps }));
      const running = summaryOf({ status: 'running' });
      const progress = steps.map((step) =>
        renderProgress({ ...running, current_step: stepLine(step) }, 0, style),
      );
      const drawn = plain(page(false, { ...style, markdown: renderMarkdown }));
      const texts = [json, drawn, page(true, style), ...progress];
      for (const text of texts) expect(text).not.toMatch(DRIVES);
      for (const step of steps) expect(typeof stepLine(step)).toBe('string');
    }),
    runs(0.3),
  );
});
