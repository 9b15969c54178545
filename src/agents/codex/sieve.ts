import type { Known, Sieve } from '../../core/events.ts';

/*
 * Nearly all that Codex prints are steps, above all the output of commands, and whoever asks what it said needs none of
 * them: to know them by their two ends is many times faster than to decode and parse them. Known is only what Codex
 * itself writes, byte for byte, and with an end to match, and one that nothing else ends with, so that a
 * line which was cut, with another one behind it, is no step. What is between the two ends is not looked at. Thoughts and
 * messages end alike, and with them every byte is looked at: that is still several times faster than to parse them. Other
 * orders of keys, spaces, and kinds that are not here (web searches and calls of other agents: few, or short) are parsed.
 */

/**
 * A text of four bytes or more, as the numbers that these are at some places of it. A stream is often read before a loop
 * like ours has been compiled: four bytes at a time make it bearable until then.
 */
interface Text {
  readonly length: number;
  readonly places: readonly number[];
  readonly numbers: readonly number[];
}

function textOf(text: string): Text {
  const view = new DataView(new TextEncoder().encode(text).buffer);
  const { byteLength: length } = view;
  const places: number[] = [];
  for (let at = 0; at + 4 <= length; at += 4) places.push(at);
  if (length % 4 !== 0) places.push(length - 4);
  return { length, places, numbers: places.map((at) => view.getInt32(at)) };
}

const textsOf = (...texts: readonly string[]): readonly Text[] => texts.map(textOf);

function stands(line: DataView, at: number, { places, numbers }: Text): boolean {
  for (let i = 0; i < places.length; i += 1) {
    if (line.getInt32(at + (places[i] ?? 0)) !== numbers[i]) return false;
  }
  return true;
}

/** Where one of the texts that stands at `at` ends, within a line that ends at `to`; else -1. */
function after(line: DataView, at: number, to: number, texts: readonly Text[]): number {
  if (at < 0) return -1;
  for (let i = 0; i < texts.length; i += 1) {
    const text = texts[i];
    if (text !== undefined && at + text.length <= to && stands(line, at, text)) return at + text.length;
  }
  return -1;
}

/** Where one of the texts that ends at `to` begins, but not before `from`; else -1. */
function before(line: DataView, from: number, to: number, texts: readonly Text[]): number {
  for (let i = 0; i < texts.length; i += 1) {
    const text = texts[i];
    if (text === undefined || to - text.length < from) continue;
    if (stands(line, to - text.length, text)) return to - text.length;
  }
  return -1;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const [ZERO, NINE] = [0x30, 0x39];
const [A, F, U] = [0x61, 0x66, 0x75];
/** What may follow upon a backslash, but for `u`. */
const ESCAPES = new TextEncoder().encode('"\\/bfnrt');
/** Two closing braces. */
const CLOSED = 0x7d7d;
const [FIRST_PLAIN, LAST_PLAIN] = [0x20, 0x7e];

/** So many bytes of a name, a number or a run of backslashes: with more of them a line is not known. */
const LONGEST = 64;

/** Where a name ends that begins at `at`: a short text in which nothing is escaped. Else -1. */
function afterName(line: DataView, at: number, to: number): number {
  if (at < 0) return -1;
  for (let end = at; end < to && end <= at + LONGEST; end += 1) {
    const byte = line.getUint8(end);
    if (byte === QUOTE) return end;
    if (byte < FIRST_PLAIN || byte > LAST_PLAIN || byte === BACKSLASH) return -1;
  }
  return -1;
}

/** Whether four hexadecimal digits begin at `at`. */
function standsHex(line: DataView, at: number, to: number): boolean {
  if (at + 4 > to) return false;
  for (let i = at; i < at + 4; i += 1) {
    const byte = line.getUint8(i);
    const letter = byte | 0x20;
    if (!(byte >= ZERO && byte <= NINE) && !(letter >= A && letter <= F)) return false;
  }
  return true;
}

/** Where the escape of JSON ends whose backslash is at `at`; else -1. */
function afterEscape(line: DataView, at: number, to: number): number {
  if (at + 1 >= to) return -1;
  const byte = line.getUint8(at + 1);
  if (byte === U) return standsHex(line, at + 2, to) ? at + 6 : -1;
  return ESCAPES.includes(byte) ? at + 2 : -1;
}

/** Whether a text of JSON, from `from` on, and nothing but the end of its item and its line is left until `to`. */
function endsText(line: DataView, from: number, to: number): boolean {
  const quote = to - 3;
  if (quote < from || line.getUint8(quote) !== QUOTE || line.getUint16(quote + 1) !== CLOSED) return false;
  let at = from;
  while (at >= 0 && at < quote) {
    const byte = line.getUint8(at);
    if (byte === QUOTE || byte < FIRST_PLAIN) return false;
    at = byte === BACKSLASH ? afterEscape(line, at, quote) : at + 1;
  }
  return at === quote;
}

/** Where the whole number or the null begins that ends at `to`; else -1. */
function beforeCode(line: DataView, from: number, to: number): number {
  const none = before(line, from, to, NULL);
  if (none >= 0) return none;
  let at = to;
  while (at > from && to - at < LONGEST && line.getUint8(at - 1) >= ZERO && line.getUint8(at - 1) <= NINE) {
    at -= 1;
  }
  if (at === to || at === from) return -1;
  return line.getUint8(at - 1) === MINUS ? at - 1 : at;
}

const NULL = textsOf('null');
const STATUS = textsOf(
  ',"status":"completed"}}',
  ',"status":"in_progress"}}',
  ',"status":"failed"}}',
  ',"status":"declined"}}',
);
const CODE = textsOf('","exit_code":');
const CHANGE = textsOf('","kind":"update"}]', '","kind":"add"}]', '","kind":"delete"}]');
const NO_ERROR = textsOf(',"error":null');
const PLANNED = textsOf('","completed":false}]}}', '","completed":true}]}}');

interface Kind {
  readonly known: Known;
  /** With what an item of this kind goes on behind its name: texts with a name between each two of them. */
  readonly begin: readonly (readonly Text[])[];
  /** Whether what is left of its line, from `from` on, has the right end. */
  readonly ends: (line: DataView, from: number, to: number) => boolean;
}

const KINDS: readonly Kind[] = [
  {
    known: 'step',
    begin: [textsOf('","type":"command_execution","command":"')],
    ends: (line, from, to) =>
      before(line, from, beforeCode(line, from, before(line, from, to, STATUS)), CODE) >= 0,
  },
  {
    known: 'step',
    begin: [textsOf('","type":"file_change","changes":[{"path":"')],
    ends: (line, from, to) => before(line, from, before(line, from, to, STATUS), CHANGE) >= 0,
  },
  {
    known: 'step',
    begin: [textsOf('","type":"todo_list","items":[{"text":"')],
    ends: (line, from, to) => before(line, from, to, PLANNED) >= 0,
  },
  { known: 'step', begin: [textsOf('","type":"reasoning","text":"')], ends: endsText },
  { known: 'message', begin: [textsOf('","type":"agent_message","text":"')], ends: endsText },
  {
    known: 'step',
    begin: [textsOf('","type":"mcp_tool_call","server":"'), textsOf('","tool":"'), textsOf('","arguments":')],
    ends: (line, from, to) => before(line, from, before(line, from, to, STATUS), NO_ERROR) >= 0,
  },
];

const BEGIN = textsOf(
  '{"type":"item.completed","item":{"id":"',
  '{"type":"item.started","item":{"id":"',
  '{"type":"item.updated","item":{"id":"',
);

/** Where what an item of that kind says begins, or -1 where it is of another kind. */
function afterBegin(line: DataView, name: number, to: number, { begin }: Kind): number {
  let at = name;
  for (let i = 0; i < begin.length && at >= 0; i += 1) {
    at = after(line, i === 0 ? at : afterName(line, at, to), to, begin[i] ?? []);
  }
  return at;
}

/** Knows commands, changes of files, calls of tools, plans and thoughts, and messages. */
export const codexSieve: Sieve = (line, from, to) => {
  const name = afterName(line, after(line, from, to, BEGIN), to);
  if (name < 0) return null;
  for (let i = 0; i < KINDS.length; i += 1) {
    const kind = KINDS[i];
    const said = kind === undefined ? -1 : afterBegin(line, name, to, kind);
    if (kind !== undefined && said >= 0) return kind.ends(line, said, to) ? kind.known : null;
  }
  return null;
};
