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
  // In JSON a line break stands between values only.
  const text = (JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${indent}`);
  return escapeUnsafe(text, unicodeEscapes);
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

/** The fields of an object, and the items of the lists and objects among them, one by one. */
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
    if (indent === '') yield* parts(item, deeper);
    else yield written(item, deeper);
    separator = ',';
  }
  yield separator === open ? `${open}${close}` : `\n${indent}${close}`;
}

/** So many characters, or one long text, are worth to be encoded at once. */
const PIECE = 1 << 12;

/**
 * The same document as `renderJson` gives, in pieces, so that a long one is never in memory as a whole. Any iterable that
 * is one of its fields is a list, and asked for each item when that is written.
 */
export function* renderJsonPieces(value: unknown): Generator<string> {
  let piece = '';
  for (const part of parts(value)) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
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
