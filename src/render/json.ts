import { escapeUnsafe } from './safe-text.ts';

function unicodeEscapes(character: string): string {
  // By code units: JSON writes a character beyond 16 bits as two.
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** A value as one line of JSON lines, as inert as a document. */
export function renderJsonLine(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value), unicodeEscapes)}\n`;
}

/** A value as it is written at a depth of a document, as inert as the document. */
function written(value: unknown, indent: string): string {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  // In JSON a line break stands between values only: a text, and be it long, has none.
  const hasParts = typeof value === 'object' && value !== null;
  return escapeUnsafe(hasParts ? text.replaceAll('\n', `\n${indent}`) : text, unicodeEscapes);
}

function isList(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}

/** What an object holds, each item with what stands in front of it. */
function* fieldsOf(value: object): Generator<readonly [name: string, item: unknown]> {
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) yield [`${written(key, '')}: `, item];
  }
}

function* itemsOf(list: Iterable<unknown>): Generator<readonly [name: string, item: unknown]> {
  for (const item of list) yield ['', item];
}

/** So many characters, or one long text, are worth to be encoded at once. */
const PIECE = 1 << 12;

/** Whether a long text is a field of a value: that is not copied into a longer one. */
function holdsLongText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((field) => typeof field === 'string' && field.length >= PIECE);
}

/** The fields of an object, and the items of the lists and objects among them, one by one; and long texts by themselves. */
function* parts(value: unknown, indent = ''): Generator<string> {
  if (typeof value !== 'object' || value === null) {
    yield written(value, indent);
    return;
  }
  const [open, close] = isList(value) ? '[]' : '{}';
  const deeper = `${indent}  `;
  let separator = open;
  for (const [name, item] of isList(value) ? itemsOf(value) : fieldsOf(value)) {
    yield `${separator}\n${deeper}${name}`;
    if (indent === '' || holdsLongText(item)) yield* parts(item, deeper);
    else yield written(item, deeper);
    separator = ',';
  }
  yield separator === open ? `${open}${close}` : `\n${indent}${close}`;
}

/**
 * The same document as `renderJson` gives of plain data, in pieces, so that a long one is never in memory as a whole. Any iterable that
 * is one of its fields is a list, and asked for each item when that is written.
 */
export function* renderJsonPieces(value: unknown): Generator<string> {
  let piece = '';
  for (const part of parts(value)) {
    if (part.length < PIECE) piece += part;
    if (part.length < PIECE && piece.length < PIECE) continue;
    if (piece !== '') yield piece;
    if (part.length >= PIECE) yield part;
    piece = '';
  }
  yield `${piece}\n`;
}

/**
 * A value as one JSON document. Characters that could drive a terminal but that JSON lets stand are written as
 * escapes, so that the document is inert on a screen and still parses to the very same value.
 */
export function renderJson(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value, null, 2), unicodeEscapes)}\n`;
}
