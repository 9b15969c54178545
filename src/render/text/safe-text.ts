/*
 * Agents' output, and everything below the state directory, may hold escape sequences that write the clipboard,
 * rename the window, draw over other lines or type answers back, and characters that nobody sees. Every
 * human-readable string passes through here.
 */

// Fast path: what most texts consist of, none of it unsafe. Ten times faster than the expression below, which knows
// properties of characters.
const PLAIN =
  /^[\t\n\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u2190-\u2bff\u4e00-\u9fff\uac00-\ud7a3]*$/;

/** A text in which `write` has replaced each character that could drive a terminal or deceive its reader. */
export function escapeUnsafe(text: string, write: (character: string) => string): string {
  return PLAIN.test(text) ? text : escapeSlowly(text, write);
}

// To make these two expressions takes a twentieth of Node's own start, so it is not done before a text needs them.
function escapeSlowly(text: string, write: (character: string) => string): string {
  // Control characters but tab and newline; lone surrogates; separators of lines and paragraphs; what turns the
  // direction of writing round; what is invisible, and could hide in a word or hide words; and the ninth mark upon one
  // letter: no script writes so many, and they would be drawn over the lines above and below.
  const unsafe =
    /[\0-\x08\x0b-\x1f\x7f-\x9f\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]|\p{M}(?<=\p{M}{9})/gu;
  // Of the invisible ones, what joins two emoji into one and what asks for the emoji form of a symbol or a key.
  const ofAnEmoji =
    /(?<=\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f)\u200d(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic})\ufe0f|(?<=[#*\d])\ufe0f(?=\u20e3)/uy;
  return text.replace(unsafe, (character, at: number) => {
    ofAnEmoji.lastIndex = at;
    return ofAnEmoji.test(text) ? character : write(character);
  });
}

function visible(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

/** Text of several lines in which everything unsafe has been made visible: ESC becomes `\x1b`. */
export function safeText(text: string): string {
  // CR LF is a line break; any other CR could overwrite a line.
  return escapeUnsafe(text.replaceAll('\r\n', '\n'), visible);
}

/** The lines of a text, neutralised one by one: what a text of megabytes needs beside itself is one line. */
export function* safeLines(text: string): Generator<string> {
  let from = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
    const line = text.slice(from, at);
    yield escapeUnsafe(line.endsWith('\r') ? line.slice(0, -1) : line, visible);
    from = at + 1;
  }
  yield escapeUnsafe(text.slice(from), visible);
}

// White space other than a single space.
const WHITE_SPACE = /[^\S ]\s*| \s+/g;

/** The same on one line: every run of white space becomes a single space. */
export function safeLine(text: string): string {
  return escapeUnsafe(text.replace(WHITE_SPACE, ' ').trim(), visible);
}
