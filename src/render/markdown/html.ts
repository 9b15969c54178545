import type { MarkedToken, Token, Tokens } from 'marked';
import { htmlText } from '../text/html-text.ts';
import { dereferenced } from './inline.ts';
import { markdownTokens } from './markdown.ts';

/** Where a link of a page may lead. */
const LEADS = /^(?:https?:\/\/|mailto:)\S+$/i;

function linkHtml(href: string, inner: string): string {
  if (!LEADS.test(href)) return inner;
  return `<a href="${htmlText(href)}" rel="noopener noreferrer nofollow">${inner}</a>`;
}

function inlineHtml(tokens: readonly Token[]): string {
  return tokens.map((token) => inline(token as MarkedToken)).join('');
}

function inline(token: MarkedToken): string {
  const inner = (): string => inlineHtml(('tokens' in token && token.tokens) || []);
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return `<${token.type}>${inner()}</${token.type}>`;
    case 'codespan':
      return `<code>${htmlText(token.text)}</code>`;
    case 'br':
      return '<br>';
    case 'link':
      return linkHtml(token.href, inner());
    // Nothing is loaded.
    case 'image':
      return linkHtml(token.href, `[${htmlText(token.text || token.href)}]`);
    case 'checkbox':
      return '';
    case 'text':
      return token.tokens === undefined ? htmlText(dereferenced(token.text)) : inner();
    case 'escape':
      return htmlText(token.text);
    default:
      return htmlText(token.raw);
  }
}

function listHtml({ ordered, start, items }: Tokens.List): string {
  const lines = items.map((item) => {
    const mark = item.task ? (item.checked ? '☑ ' : '☐ ') : '';
    return `<li>${mark}${blocksHtml(item.tokens)}</li>`;
  });
  return ordered ? `<ol start="${Number(start) || 1}">${lines.join('')}</ol>` : `<ul>${lines.join('')}</ul>`;
}

function tableHtml({ header, rows }: Tokens.Table): string {
  const row = (cells: readonly Tokens.TableCell[], tag: string): string =>
    `<tr>${cells.map(({ tokens }) => `<${tag}>${inlineHtml(tokens)}</${tag}>`).join('')}</tr>`;
  return `<table>${row(header, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table>`;
}

function block(token: MarkedToken): string {
  switch (token.type) {
    case 'heading': {
      // The page's own headings are above those of its texts.
      const tag = `h${Math.min(6, token.depth + 2)}`;
      return `<${tag}>${inlineHtml(token.tokens)}</${tag}>`;
    }
    case 'paragraph':
      return `<p>${inlineHtml(token.tokens)}</p>`;
    case 'code':
      return `<pre><code>${htmlText(token.text)}</code></pre>`;
    case 'blockquote':
      return `<blockquote>${blocksHtml(token.tokens)}</blockquote>`;
    case 'list':
      return listHtml(token);
    case 'table':
      return tableHtml(token);
    case 'hr':
      return '<hr>';
    case 'space':
    case 'def':
      return '';
    case 'html':
      return `<p>${htmlText(token.text)}</p>`;
    default:
      return inline(token);
  }
}

function blocksHtml(tokens: readonly Token[]): string {
  return tokens.map((token) => block(token as MarkedToken)).join('');
}

/** A message of an agent as a part of a page: what is not Markdown in it, HTML above all, is text. */
export function markdownHtml(text: string): string {
  const said = text.replaceAll('\r\n', '\n').trimEnd();
  try {
    const tokens = markdownTokens(said);
    if (tokens !== null) return blocksHtml(tokens);
  } catch {
    // It nests too deep: nothing of it is lost.
  }
  return `<pre>${htmlText(said)}</pre>`;
}
