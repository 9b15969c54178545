import { type SessionReader, stepsOf, type TurnReader } from '../../core/conversation/session-reader.ts';
import { type Step, stepLine, toolContent } from '../../core/conversation/steps.ts';
import type { Message, SessionSummary } from '../../core/session.ts';
import { cardRows, turnWords } from './facts.ts';

/** A text that Markdown leaves as it is, whatever it holds. */
function fenced(text: string, language = ''): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}\n`;
}

const quoted = (text: string): string => `${text.trimEnd().replace(/^/gm, '> ')}\n`;

const NAMES: Readonly<Record<Message['role'], string>> = {
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
};

/** Messages as Markdown, one piece each. */
export function messagePages(messages: readonly Message[]): string[] {
  return messages.map(({ role, content }) => {
    const text = role === 'tool' ? fenced(content) : `${content.trimEnd()}\n`;
    return `## ${NAMES[role]}\n\n${text}\n`;
  });
}

function stepText(step: Step, directory: string | null): string {
  switch (step.type) {
    case 'message':
      return `${step.content.trimEnd()}\n`;
    case 'reasoning':
      return quoted(step.content);
    case 'plan':
      return step.items.map(({ text, completed }) => `- [${completed ? 'x' : ' '}] ${text}\n`).join('');
    case 'warning':
    case 'error':
      return quoted(`${step.type}: ${step.message}`);
    case 'file_change': {
      const diffs = step.changes.flatMap(({ diff }) => (diff === undefined ? [] : [fenced(diff, 'diff')]));
      return [fenced(`${stepLine(step, directory)} [${step.status}]`), ...diffs].join('\n');
    }
    default:
      return fenced(toolContent(step) ?? '');
  }
}

function* turnText(turn: TurnReader, { agent }: SessionSummary): Generator<string> {
  const { view, directory } = turn;
  yield `## ${turnWords(view, agent)}\n\n`;
  if (view.prompt !== null) yield `${quoted(view.prompt)}\n`;
  for (const step of stepsOf(turn).steps) yield `${stepText(step, directory)}\n`;
  if (view.error !== null) yield `${quoted(`${view.status}: ${view.error.message}`)}\n`;
}

/** A session as one Markdown document, piece by piece as its turns are read. */
export function* exportMarkdown(session: SessionReader): Generator<string> {
  const { summary, turns } = session;
  yield `# ${(summary.title ?? summary.id).replace(/\s+/g, ' ')}\n\n`;
  for (const [label, value] of cardRows(session)) yield `- ${label}: ${value}\n`;
  yield '\n';
  for (const turn of turns) yield* turnText(turn, summary);
}
