const RISKY = /[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * A value as one JSON document. Characters that could drive a terminal but that JSON lets stand are written as
 * escapes, so that the document is inert on a screen and still parses to the very same value.
 */
export function renderJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return `${text.replace(RISKY, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}
