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

/** A piece is written at once; so many characters of it are worth a call of the system. */
const PIECE = 1 << 16;

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A value as `JSON.stringify` writes it at that depth of a document. */
function inner(value: unknown, indent: string): string {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  // No text in JSON holds a line break.
  return escapeUnsafe(indent === '' ? text : text.replaceAll('\n', `\n${indent}`), unicodeEscapes);
}

function* parts(value: unknown, indent: string): Generator<string> {
  const isList = Array.isArray(value);
  const all: readonly (readonly [string, unknown])[] = isNested(value) ? Object.entries(value) : [];
  const entries = isList ? all : all.filter(([, item]) => item !== undefined);
  if (entries.length === 0) {
    yield inner(value, indent);
    return;
  }
  const deeper = `${indent}  `;
  let separator = isList ? '[' : '{';
  for (const [key, item] of entries) {
    yield `${separator}\n${deeper}${isList ? '' : `${inner(key, '')}: `}`;
    // Deep enough for what is long in our documents: the lists of an object.
    if (isNested(item) && indent === '') yield* parts(item, deeper);
    else yield inner(item, deeper);
    separator = ',';
  }
  yield `\n${indent}${isList ? ']' : '}'}`;
}

/** The same document as `renderJson` gives, in pieces of which none is much longer than one item of its lists. */
export function* renderJsonPieces(value: unknown): Generator<string> {
  let piece = '';
  for (const part of parts(value, '')) {
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
