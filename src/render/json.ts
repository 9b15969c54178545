import { escapeUnsafe } from './safe-text.ts';

/** The escapes of a character; JSON writes one beyond 16 bits as two. */
function unicodeEscapes(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((hex) => `\\u${hex}`).join('');
}

/** A value as one line of JSON lines, as inert as a document. */
export function renderJsonLine(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value), unicodeEscapes)}\n`;
}

/**
 * A value as one JSON document. Characters that could drive a terminal but that JSON lets stand are written as
 * escapes, so that the document is inert on a screen and still parses to the very same value.
 */
export function renderJson(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value, null, 2), unicodeEscapes)}\n`;
}

/**
 * An object as one JSON document that is written as its list is read: first the field `name` with the items, each as
 * soon as it is there, then the fields of `rest`, which is asked for when the last item was written.
 */
export function* renderJsonAsRead(
  name: string,
  items: Iterable<unknown>,
  rest: () => object,
): Generator<string> {
  yield `{\n  ${JSON.stringify(name)}: [`;
  let separator = '\n';
  for (const item of items) {
    yield `${separator}    ${renderJson(item).trimEnd().replaceAll('\n', '\n    ')}`;
    separator = ',\n';
  }
  yield separator === '\n' ? '],\n' : '\n  ],\n';
  yield renderJson(rest()).replace(/^\{\n/, '');
}
