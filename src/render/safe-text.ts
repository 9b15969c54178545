/*
 * Agents' output, and everything below the state directory, may hold escape sequences that write the clipboard,
 * rename the window, draw over other lines or type answers back. Every human-readable string passes through here.
 */

// C0 but tab and newline, DEL and C1; bidi controls; line and paragraph separators; lone surrogates.
const UNSAFE =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function visible(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Text of several lines with everything that could drive a terminal made visible: ESC becomes `\x1b`. */
export function safeText(text: string): string {
  // A line break of DOS files is no trick; any other CR is.
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, visible);
}

/** The same on one line: every run of white space becomes a single space. */
export function safeLine(text: string): string {
  return safeText(text.replace(/\s+/g, ' ').trim());
}
