import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCodexParser } from '../../src/agents/codex/translate.ts';
import type { AgentEvent, Line } from '../../src/core/events.ts';
import { readLines } from '../../src/store/read-forward.ts';
import { emptyDirectory } from '../helpers/directory.ts';
import { foldWhole, type WholeTurn } from '../helpers/fold.ts';
import { fc, recordedStreams } from '../helpers/fuzz.ts';

// Good logs, of which bytes go wrong: on a bad disk, by an editor, by an agent that writes into its own log.
const STREAMS = recordedStreams().filter(({ bytes }) => bytes.length > 0 && bytes.length < 6000);
const names = STREAMS.map(({ name }) => name);
const anyStream = fc.constantFrom(...names);
// Up to 0.36 the end of a command says what it ended with, and not what was begun: one spoilt line can cost two.
const anyNewStream = fc.constantFrom(...names.filter((name) => !name.includes('/0.36.')));

function bytesOf(name: string): Buffer {
  return STREAMS.find((stream) => stream.name === name)?.bytes ?? Buffer.alloc(0);
}

interface Reading {
  readonly lines: readonly Line[];
  readonly events: readonly (readonly AgentEvent[])[];
  readonly fold: WholeTurn;
}

/** Reads a stream up to `limit`, and makes sure that each of its lines is accounted for. */
function read(path: string, limit: number | null = null): Reading {
  const parse = createCodexParser('0.169.0');
  const lines = [...readLines(path, { limit, ended: true })];
  const events = lines.map((line) => parse(line));
  const fold = foldWhole(events.flat(), true);
  const count = (type: string): number =>
    events.filter((ofLine) => ofLine.length === 1 && ofLine[0]?.type === type).length;
  expect(events.every((ofLine) => ofLine.length > 0)).toBe(true);
  expect([fold.unknown, fold.malformed]).toEqual([count('unknown'), count('malformed')]);
  return { lines, events, fold };
}

function createReader(): (bytes: Buffer) => Reading {
  const path = join(emptyDirectory(), 'events.jsonl');
  return (bytes) => {
    writeFileSync(path, bytes);
    return read(path);
  };
}

const joined = (lines: readonly Buffer[], end: string): Buffer =>
  Buffer.concat(lines.flatMap((line) => [line, Buffer.from(end)]));

function linesOf(bytes: Buffer): Buffer[] {
  return bytes
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Buffer.from(line, 'latin1'));
}

const CUT = ['0.169/message', '0.169/usage-limit', '0.169/web-search', 'older/0.58.0-thread-turn1'];
const isCut = ({ name }: { name: string }): boolean => CUT.some((one) => name === `codex-${one}.jsonl`);

test('a log cut at any byte keeps all that was whole, and tells of at most one broken line', () => {
  const path = join(emptyDirectory(), 'events.jsonl');
  for (const { name, bytes } of recordedStreams().filter(isCut)) {
    writeFileSync(path, bytes);
    const whole = read(path);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { events, lines } = read(path, cut);
      const before = bytes.subarray(0, cut).lastIndexOf(10) + 1;
      const complete = linesOf(bytes.subarray(0, before)).length;
      const kept = { name, cut, events: events.slice(0, complete) };
      expect(kept).toEqual({ name, cut, events: whole.events.slice(0, complete) });
      expect(lines.length - complete).toBe(cut > before ? 1 : 0);
      // The part of a line that was cut is not taken for another line.
      const broken = events[complete]?.map(({ type }) => type);
      if (broken !== undefined && bytes[cut] !== 10) expect(broken).toEqual(['malformed']);
    }
  }
});

test('bytes that somebody put in spoil no line but their own', () => {
  const readBytes = createReader();
  const planted = fc.constantFrom(
    [0],
    [0xff],
    [0xef, 0xbb, 0xbf],
    [0x1b, 0x5b, 0x32, 0x4a],
    [0x0d],
    [0xc0, 0x80],
  );
  void fc.assert(
    fc.property(anyNewStream, fc.nat(), planted, (name, where, planted) => {
      const good = bytesOf(name);
      const at = where % good.length;
      const { events } = readBytes(
        Buffer.concat([good.subarray(0, at), Buffer.from(planted), good.subarray(at)]),
      );
      const expected = readBytes(good).events;
      const line = linesOf(good.subarray(0, good.subarray(0, at).lastIndexOf(10) + 1)).length;
      expect(events.slice(0, line)).toEqual(expected.slice(0, line));
      // At the very end it is a line of its own.
      expect(events.slice(line + 1)).toEqual(expected.slice(line + 1));
    }),
  );
});

test('a log with DOS line ends reads the same', () => {
  const readBytes = createReader();
  for (const { name, bytes } of STREAMS) {
    const lines = linesOf(bytes);
    const [unix, dos] = [readBytes(joined(lines, '\n')), readBytes(joined(lines, '\r\n'))];
    expect({ name, fold: dos.fold }).toEqual({ name, fold: unix.fold });
  }
});

test('a byte order mark costs the first line alone', () => {
  const readBytes = createReader();
  for (const { name, bytes } of STREAMS) {
    const { events } = readBytes(Buffer.concat([Buffer.from('\ufeff'), bytes]));
    expect({ name, first: events[0]?.map(({ type }) => type) }).toEqual({ name, first: ['malformed'] });
    expect(events.slice(1)).toEqual(readBytes(bytes).events.slice(1));
  }
});

test('lines that come twice or in another order change no step into another, and no thread', () => {
  const readBytes = createReader();
  void fc.assert(
    fc.property(anyStream, fc.array(fc.nat(), { minLength: 1, maxLength: 30 }), (name, order) => {
      const good = bytesOf(name);
      const lines = linesOf(good);
      const picked = order.flatMap((n) => lines[n % lines.length] ?? []);
      const told = JSON.stringify(
        readBytes(good)
          .events.flat()
          .map(({ seq: _seq, ...event }) => event),
      );
      const { fold } = readBytes(joined(picked, '\n'));
      for (const message of fold.messages) expect(told).toContain(JSON.stringify(message));
      if (fold.threadId !== null) expect(fold.threadId).toBe(readBytes(good).fold.threadId);
    }),
  );
});
