import { escapeUnsafe } from './text/safe-text.ts';

/** The escapes of a character; JSON writes one beyond 16 bits as two. */
function unicodeEscapes(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((hex) => `\\u${hex}`).join('');
}

/** A value as one line of JSON lines, as inert as a document. */
export function renderJsonLine(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value), unicodeEscapes)}\n`;
}

/** A value as one JSON document, inert on a screen: what could drive a terminal is written as escapes. */
export function renderJson(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value, null, 2), unicodeEscapes)}\n`;
}

/** The document of `{[name]: items, ...rest}`, piece by piece; `rest` is asked for after the last item was written. */
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

/** An array as one JSON document, item by item. */
export async function* renderJsonList(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const item of items) {
    yield `${separator}  ${renderJson(item).trimEnd().replaceAll('\n', '\n  ')}`;
    separator = ',\n';
  }
  yield separator === ',\n' ? '\n]\n' : '[]\n';
}
