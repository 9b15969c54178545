import type { ChalkInstance } from 'chalk';
import type { MarkedToken, Token } from 'marked';
import { safeText } from './safe-text.ts';
import type { Span } from './wrap.ts';

/** The references that people write so that a browser does not take a character for markup. */
const REFERENCES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
};

function dereferenced(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|nbsp|amp);/g, (reference) => REFERENCES[reference] ?? reference);
}

/**
 * A piece of a line, neutralised: several spaces as one, and a mark that begins it upon a circle. Pieces are joined
 * after this, and could together pile up more marks than are let through. Line breaks stay: agents mean them.
 */
function piece(text: string): string {
  return safeText(text.replace(/[ \t]+/g, ' ').replaceAll('\n ', '\n')).replace(/^\p{M}/u, '\u25cc$&');
}

function linkSpans(text: readonly Span[], href: string, paint: ChalkInstance): Span[] {
  const said = text.map((span) => span.text).join('');
  const url = piece(href);
  // An address that was written as such, or a mailto: of one.
  if (url === '' || said === url || url === `mailto:${said}`) return [...text];
  return [...text, { text: ` (${url})`, paint: paint.dim }];
}

function tokenSpans(token: MarkedToken, paint: ChalkInstance, within: ChalkInstance, depth: number): Span[] {
  const plain = (text: string, how = within): Span[] => [{ text: piece(text), paint: how }];
  const inner = (tokens: readonly Token[] | undefined, how: ChalkInstance): Span[] =>
    inlineSpans(tokens ?? [], paint, how, depth + 1);
  switch (token.type) {
    case 'strong':
      return inner(token.tokens, within.bold);
    case 'em':
      return inner(token.tokens, within.italic);
    case 'del':
      // Without colours only the marks show that this was struck out.
      return paint.level === 0
        ? [...plain('~~'), ...inner(token.tokens, within), ...plain('~~')]
        : inner(token.tokens, within.strikethrough);
    case 'codespan':
      return paint.level === 0 ? plain(`\`${token.text}\``) : plain(token.text, within.cyan);
    case 'br':
      return [{ text: '\n', paint: within }];
    case 'link':
      return linkSpans(inner(token.tokens, within), token.href, paint);
    case 'image':
      return plain(token.text === '' ? token.href : token.text);
    case 'checkbox':
      return [];
    case 'text':
      return token.tokens === undefined ? plain(dereferenced(token.text)) : inner(token.tokens, within);
    case 'escape':
      return plain(token.text);
    default:
      return plain(token.raw);
  }
}

/** The words of a line in their colours, neutralised; `within` is the colour of what they stand in. */
export function inlineSpans(
  tokens: readonly Token[],
  paint: ChalkInstance,
  within: ChalkInstance = paint,
  depth = 0,
): Span[] {
  if (depth > 50) throw new RangeError('nested too deeply');
  return tokens.flatMap((token) => tokenSpans(token as MarkedToken, paint, within, depth));
}
