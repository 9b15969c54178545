import { type SessionReader, stepsOf, type TurnReader } from '../../core/conversation/session-reader.ts';
import type { Step } from '../../core/conversation/steps.ts';
import { digest } from '../../core/digest.ts';
import type { FileEdit } from '../../core/events.ts';
import { pathFrom } from '../../core/path.ts';
import type { SessionSummary } from '../../core/session.ts';
import { withoutShell } from '../../core/shell-word.ts';
import { markdownHtml } from '../markdown/html.ts';
import { htmlText } from '../text/html-text.ts';
import { cardRows, turnWords } from './facts.ts';
import { PAGE_STYLE } from './style.ts';

/** A digest in hex as a policy of a page wants it. */
function base64Of(hex: string): string {
  return btoa(hex.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16))));
}

/** Nothing runs, nothing is loaded or sent, and only our own style applies: whatever a text may hold. */
const policyOf = (style: string): string =>
  `default-src 'none'; style-src 'sha256-${base64Of(digest(style))}'; base-uri 'none'; form-action 'none'`;

function folded(head: string, body: string): string {
  return body === '' ? `<p>${head}</p>` : `<details><summary>${head}</summary>${body}</details>`;
}

const preOf = (text: string): string =>
  text.trim() === '' ? '' : `<pre>${htmlText(text.replace(/\n$/, ''))}</pre>`;

function diffHtml(diff: string): string {
  const lines = diff.split('\n').map((line) => {
    const kind = line.startsWith('+') ? ' class="add"' : line.startsWith('-') ? ' class="del"' : '';
    return `<span${kind}>${htmlText(line) || ' '}</span>`;
  });
  return `<pre class="diff">${lines.join('')}</pre>`;
}

function changeHtml({ path, kind, diff }: FileEdit, directory: string | null): string {
  const head = `${kind} <code>${htmlText(pathFrom(directory, path))}</code>`;
  return folded(head, diff === undefined ? '' : diffHtml(diff));
}

function jsonOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function commandHtml({ command, output, exit_code: code, status }: Step & { type: 'command' }): string {
  const kind = code === 0 ? 'good' : code === null ? 'soft' : 'bad';
  const end = `<span class="${kind}">${code === null ? status : `exit ${code}`}</span>`;
  return folded(`<code>$ ${htmlText(withoutShell(command))}</code> ${end}`, preOf(output ?? ''));
}

function stepHtml(step: Step, directory: string | null): string {
  switch (step.type) {
    case 'message':
      return `<div class="said">${markdownHtml(step.content)}</div>`;
    case 'reasoning':
      return folded('thoughts', markdownHtml(step.content));
    case 'command':
      return commandHtml(step);
    case 'file_change':
      return step.changes.map((change) => changeHtml(change, directory)).join('');
    case 'tool_call': {
      const head = `<code>${htmlText(step.name)}</code> <span class="soft">${step.status}</span>`;
      return folded(head, preOf(jsonOf(step.args)) + preOf(jsonOf(step.result)));
    }
    case 'plan': {
      const items = step.items.map(
        ({ text, completed }) => `<li>${completed ? '☑' : '☐'} ${htmlText(text)}</li>`,
      );
      return `<ul class="plan">${items.join('')}</ul>`;
    }
    case 'warning':
    case 'error':
      return `<p class="${step.type === 'error' ? 'bad' : 'soft'}">${htmlText(step.message)}</p>`;
  }
}

function* turnHtml(turn: TurnReader, { agent }: SessionSummary): Generator<string> {
  const { view, directory } = turn;
  yield `<section${view.undone ? ' class="back"' : ''}>\n<h2>${htmlText(turnWords(view, agent))}</h2>\n`;
  if (view.prompt !== null) yield `<div class="user">${htmlText(view.prompt.trimEnd())}</div>\n`;
  for (const step of stepsOf(turn).steps) {
    const html = stepHtml(step, directory);
    yield step.subagent === undefined ? `${html}\n` : `<div class="of">${html}</div>\n`;
  }
  if (view.error !== null) yield `<p class="bad">${htmlText(view.error.message)}</p>\n`;
  yield '</section>\n';
}

/** A session as one page that needs nothing else, piece by piece as its turns are read. */
export function* exportHtml(session: SessionReader): Generator<string> {
  const { summary, turns } = session;
  const title = htmlText((summary.title ?? summary.id).replace(/\s+/g, ' '));
  const facts = cardRows(session).map(([label, value]) => `<dt>${label}</dt><dd>${htmlText(value)}</dd>`);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(PAGE_STYLE)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<dl>${facts.join('')}</dl>
`;
  for (const turn of turns) yield* turnHtml(turn, summary);
  yield '</body>\n</html>\n';
}
