// Agents' JSON is not trusted: what nests too deep overflows the stack of code that walks through it, and a line of
// brackets becomes thirty times as large in memory.

// No event of any agent nests a tenth as deep, and so many values take some 50 MB; a long text is one of them.
const MAX_DEPTH = 500;
const MAX_VALUES = 500_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Where the string that begins at `from` ends, or the length of the text where it does not. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

// A long text that does not begin as JSON is not read further.
const BEGINNING = /^[ \t\n\r]*["[{\-\dtfn]/;

function isModest(text: string): boolean {
  // Most lines are too short to break a limit.
  if (text.length <= MAX_DEPTH) return true;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      values += 1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    else if (code === COMMA) values += 1;
    if (depth > MAX_DEPTH || values > MAX_VALUES) return false;
  }
  return true;
}

/** The value of a JSON text; undefined where it is not JSON, nests deeper than 500 levels or holds too many values. */
export function parseJson(text: string): unknown {
  if (!BEGINNING.test(text) || !isModest(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
