import { expect, test } from 'vitest';
import { createCodexParser } from '../../src/agents/codex/translate.ts';
import { foldWhole } from '../helpers/fold.ts';
import { fc, recordedStreams } from '../helpers/fuzz.ts';

// Good logs, of which bytes go wrong: on a bad disk, by an editor, by an agent that writes into its own log.
const STREAMS = recordedStreams().filter(({ bytes }) => bytes.length > 0 && bytes.length < 6000);
const anyStream = fc.constantFrom(...STREAMS);
// Up to 0.36 the end of a command says what it ended with, and not what was begun: one spoilt line can cost two.
const anyNewStream = fc.constantFrom(...STREAMS.filter(({ name }) => !name.includes('/0.36.')));

/** The lines as `readLines` finds them; that is tested with any bytes elsewhere. */
const linesOf = (bytes: Buffer): string[] => {
  const lines = bytes.toString('latin1').split('\n').filter(Boolean);
  return lines.map((line) => Buffer.from(line, 'latin1').toString());
};

/** Reads lines, and makes sure that each of them is accounted for. */
function read(lines: readonly string[]) {
  const parse = createCodexParser('0.169.0');
  const events = lines.map((text, seq) => parse({ seq, text }));
  const fold = foldWhole(events.flat(), true);
  const count = (type: string): number =>
    events.filter((ofLine) => ofLine.length === 1 && ofLine[0]?.type === type).length;
  expect(events.every((ofLine) => ofLine.length > 0)).toBe(true);
  expect([fold.unknown, fold.malformed]).toEqual([count('unknown'), count('malformed')]);
  return { events, fold };
}

test('a log cut at any byte keeps all that was whole, and tells of at most one broken line', () => {
  const few = /[69]\/(message|usage-limit|web-search)\.|0\.58\.0-thread-turn1\./;
  for (const { name, bytes } of STREAMS.filter(({ name }) => few.test(name))) {
    const whole = read(linesOf(bytes));
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { events } = read(linesOf(bytes.subarray(0, cut)));
      const complete = linesOf(bytes.subarray(0, bytes.subarray(0, cut).lastIndexOf(10) + 1)).length;
      const broken = bytes[cut] === 10 || cut === bytes.length ? [] : events.slice(complete);
      const kept = { name, cut, events: events.slice(0, events.length - broken.length) };
      expect(kept).toEqual({ name, cut, events: whole.events.slice(0, events.length - broken.length) });
      expect(broken.flat().map(({ type }) => type)).toEqual(broken.map(() => 'malformed'));
    }
  }
});

test('bytes that somebody put in spoil no line but their own', () => {
  const planted = fc.constantFrom('\0', '\xff', '\xef\xbb\xbf', '\x1b[2J', '\r', '\xc0\x80');
  void fc.assert(
    fc.property(anyNewStream, fc.nat(), planted, ({ bytes: good }, where, planted) => {
      const at = where % good.length;
      const spoilt = Buffer.concat([good.subarray(0, at), Buffer.from(planted, 'latin1'), good.subarray(at)]);
      const { events } = read(linesOf(spoilt));
      const expected = read(linesOf(good)).events;
      const line = linesOf(good.subarray(0, good.subarray(0, at).lastIndexOf(10) + 1)).length;
      expect(events.slice(0, line)).toEqual(expected.slice(0, line));
      // At the very end it is a line of its own.
      expect(events.slice(line + 1)).toEqual(expected.slice(line + 1));
    }),
  );
});

test('DOS line ends change nothing, and a byte order mark costs the first line alone', () => {
  for (const { name, bytes } of STREAMS) {
    const lines = linesOf(bytes);
    const unix = read(lines);
    expect({ name, fold: read(lines.map((line) => `${line}\r`)).fold }).toEqual({ name, fold: unix.fold });
    const { events } = read(linesOf(Buffer.concat([Buffer.from('\ufeff'), bytes])));
    expect({ name, first: events[0]?.map(({ type }) => type) }).toEqual({ name, first: ['malformed'] });
    expect(events.slice(1)).toEqual(unix.events.slice(1));
  }
});

test('lines that come twice or in another order change no step into another, and no thread', () => {
  void fc.assert(
    fc.property(anyStream, fc.array(fc.nat(), { minLength: 1, maxLength: 30 }), ({ bytes }, order) => {
      const lines = linesOf(bytes);
      const good = read(lines);
      const told = JSON.stringify(good.events.flat().map(({ seq: _seq, ...event }) => event));
      const { fold } = read(order.flatMap((n) => lines[n % lines.length] ?? []));
      for (const message of fold.messages) expect(told).toContain(JSON.stringify(message));
      if (fold.threadId !== null) expect(fold.threadId).toBe(good.fold.threadId);
    }),
  );
});
