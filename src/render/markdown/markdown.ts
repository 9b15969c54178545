import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { patchPaint, type Style } from '../style.ts';
import { safeLine } from '../text/safe-text.ts';
import { readable, textLines, wrapSpans } from '../text/wrap.ts';
import { inlineSpans } from './inline.ts';
import { tableLines } from './table.ts';

/* The library only finds the structure; every text that it yields is neutralised here: `&#27;` may be in it. */

/** A longer message is shown as it was written: the library takes a second for some of this length. */
const LONGEST = 1 << 16;
/** So deep may lists and quotations lie in one another. */
const DEEPEST = 50;
/** The library's time grows with the square of these: a paragraph that has more is shown as it was written. */
const LONGEST_PARAGRAPH = 4000;
const MOST_DELIMITERS = 400;

/** A line in a list or a quotation keeps at least this many columns: deeper levels are not indented further. */
const NARROWEST = 16;

/** The structure of a text, whose line breaks are those of Unix; null for one that is too long. @throws where it nests too deep */
export function markdownTokens(text: string): Token[] | null {
  if (text.length > LONGEST) return null;
  const lexer = new Lexer({ gfm: true });
  // As Lexer.lex does it, but for what would take too long.
  lexer.blockTokens(text, lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) {
    const delimiters = src.match(/[*_~]/g)?.length ?? 0;
    const isLong = src.length > LONGEST_PARAGRAPH || delimiters > MOST_DELIMITERS;
    if (isLong) tokens.push({ type: 'text', raw: src, text: src });
    else lexer.inlineTokens(src, tokens);
  }
  return lexer.tokens;
}

function behind(prefix: string, lines: readonly string[], next = prefix): string[] {
  return lines.map((line, i) => ((i === 0 ? prefix : next) + line).trimEnd());
}

function listLines(list: Tokens.List, style: Style, depth: number): string[] {
  const numberOf = (index: number): string => (list.ordered ? `${Number(list.start) + index}.` : '•');
  const widest = numberOf(list.items.length - 1).length;
  const indent = style.width - widest - 1 < NARROWEST ? 0 : widest + 1;
  return list.items.flatMap((item, index) => {
    const lines = blockLines(item.tokens, { ...style, width: style.width - indent }, depth, !item.loose);
    const mark = item.task ? (item.checked ? '✓' : '☐') : numberOf(index);
    const painted = mark === '✓' ? style.paint.green(mark) : mark;
    const between = list.loose && index > 0 ? [''] : [];
    if (indent === 0) return [...between, painted, ...lines];
    const first = `${' '.repeat(Math.max(0, widest - mark.length))}${painted} `;
    return [...between, ...behind(first, lines.length === 0 ? [''] : lines, ' '.repeat(indent))];
  });
}

function tokenLines(token: MarkedToken, style: Style, depth: number): string[] {
  const { paint, width } = style;
  const prose = readable(width);
  switch (token.type) {
    case 'heading': {
      const strong = token.depth === 1 ? paint.bold.underline : paint.bold;
      // Without colours only the marks distinguish a heading from a short paragraph.
      const mark = paint.level === 0 ? `${'#'.repeat(token.depth)} ` : '';
      const lines = wrapSpans(inlineSpans(token.tokens, paint, strong), prose - mark.length);
      return behind(mark, lines, ' '.repeat(mark.length));
    }
    case 'code': {
      const isPatch = /^(diff|patch)$/i.test(token.lang ?? '');
      const paintOf = (line: string) => (isPatch ? patchPaint(line, style) : paint.cyan);
      const isLanguage = token.text !== '' && /^[\w+#.-]+$/.test(token.lang ?? '');
      const head = isLanguage || !token.lang ? [] : textLines(safeLine(token.lang), prose - 2, paint.dim);
      const lines = token.text
        .split('\n')
        .flatMap((line: string) => [...textLines(line, width - 2, paintOf(line))]);
      return behind('  ', [...head, ...lines]);
    }
    case 'blockquote':
      if (width - 2 < NARROWEST) return blockLines(token.tokens, style, depth);
      return behind(`${paint.dim('│')} `, blockLines(token.tokens, { ...style, width: width - 2 }, depth));
    case 'list':
      return listLines(token, style, depth);
    case 'table':
      return tableLines(token, style);
    case 'hr':
      return [paint.dim('─'.repeat(Math.min(width, 40)))];
    case 'space':
    case 'checkbox':
      return [];
    case 'html':
    case 'def':
      return [...textLines(token.raw.trimEnd(), prose)];
    default: {
      // A paragraph, or a word of a line where blocks are expected.
      const isParagraph = token.type === 'paragraph' || token.type === 'text';
      return wrapSpans(inlineSpans((isParagraph && token.tokens) || [token], paint), prose);
    }
  }
}

function blockLines(tokens: readonly Token[], style: Style, depth: number, tight = false): string[] {
  if (depth > DEEPEST) throw new RangeError('nested too deeply');
  const blocks = tokens
    .map((token) => tokenLines(token as MarkedToken, style, depth + 1))
    .filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, i) => (i === 0 || tight ? lines : ['', ...lines]));
}

/** Markdown as painted lines no wider than the style says (at least 20); as it was written, line by line, where it is too long or deep. */
export function renderMarkdown(text: string, style: Style): Iterable<string> {
  const unix = text.replaceAll('\r\n', '\n');
  const said = unix.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
  try {
    const tokens = markdownTokens(said);
    if (tokens !== null) return blockLines(tokens, style, 0);
  } catch {
    // The parser had trouble, or its stack was too small: nothing of the text is lost.
  }
  return textLines(said, readable(style.width));
}
