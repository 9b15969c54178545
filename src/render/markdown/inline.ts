import type { ChalkInstance } from 'chalk';
import type { MarkedToken, Token, Tokens } from 'marked';
import { safeText } from '../text/safe-text.ts';
import type { Span } from '../text/wrap.ts';

/** The references that people write so that a browser does not take a character for markup. */
const REFERENCES = new Map(Object.entries({ lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ', amp: '&' }));

/** A text in which such references stand for their characters. */
export function dereferenced(text: string): string {
  return text.replace(/&(lt|gt|quot|#39|nbsp|amp);/g, (whole, name) => REFERENCES.get(name) ?? whole);
}

/**
 * A piece of a line, neutralised: several spaces as one, and a mark that begins it upon a circle. Pieces are joined
 * after this, and could together pile up more marks than are let through. Line breaks stay: agents mean them.
 */
function piece(text: string): string {
  return safeText(text.replace(/[ \t]+/g, ' ').replaceAll('\n ', '\n')).replace(/^\p{M}/u, '\u25cc$&');
}

/** Where a link leads, unless its text says so: an address that was written as such, or a mailto: of one. */
function addressOf({ href }: Tokens.Link, text: readonly Span[]): string | null {
  const said = text.map((span) => span.text).join('');
  const url = piece(href);
  return url === '' || said === url || url === `mailto:${said}` ? null : url;
}

function tokenSpans(token: MarkedToken, paint: ChalkInstance, within: ChalkInstance): Span[] {
  const plain = (text: string, colour = within): Span[] => [{ text: piece(text), paint: colour }];
  const inner = (colour = within): Span[] =>
    inlineSpans(('tokens' in token && token.tokens) || [], paint, colour);
  // Without colours only the marks show what they mean.
  const isPlain = paint.level === 0;
  switch (token.type) {
    case 'strong':
      return inner(within.bold);
    case 'em':
      return inner(within.italic);
    case 'del':
      return isPlain ? [...plain('~~'), ...inner(), ...plain('~~')] : inner(within.strikethrough);
    case 'codespan':
      return isPlain ? plain(`\`${token.text}\``) : plain(token.text, within.cyan);
    case 'br':
      return [{ text: '\n', paint: within }];
    case 'link': {
      const text = inner();
      const url = addressOf(token, text);
      return url === null ? text : [...text, { text: ` (${url})`, paint: paint.dim }];
    }
    case 'image':
      return plain(token.text === '' ? token.href : token.text);
    case 'checkbox':
      return [];
    case 'text':
      return token.tokens === undefined ? plain(dereferenced(token.text)) : inner();
    case 'escape':
      return plain(token.text);
    default:
      return plain(token.raw);
  }
}

/** The words of a line in their colours, neutralised; `within` is the colour of what they stand in. */
export function inlineSpans(tokens: readonly Token[], paint: ChalkInstance, within = paint): Span[] {
  return tokens.flatMap((token) => tokenSpans(token as MarkedToken, paint, within));
}
