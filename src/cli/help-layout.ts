import { Help } from 'commander';
import type { Example, VerbDefinition } from './define-verb.ts';

/** With less room than this beside its term, a description stands below it. */
const LEAST_BESIDE = 28;

const WIDEST_PROSE = 100;

const INDENT = ' '.repeat(6);

const HELP = Object.assign(new Help(), { minWidthToWrap: 20 });

function wrap(text: string, width: number): string[] {
  return HELP.boxWrap(text, width).split('\n');
}

/** A line of a list in the help: a term, and its description beside it or, on a narrow terminal, below it. */
export function formatItem(term: string, termWidth: number, description: string, helper: Help): string {
  const width = helper.helpWidth ?? 80;
  const start = termWidth + 4;
  const beside = width - start >= LEAST_BESIDE;
  const indent = beside ? ' '.repeat(start) : INDENT;
  const lines = wrap(description, width - indent.length);
  const first = beside ? `  ${term.padEnd(termWidth)}  ${lines.shift() ?? ''}` : `  ${term}`;
  return [first, ...lines.map((line) => indent + line)].join('\n');
}

function exampleLines(examples: readonly Example[], width: number): readonly string[] {
  const commented = examples.flatMap((example) => (typeof example === 'string' ? [] : [example[0].length]));
  const column = 4 + Math.max(0, ...commented) + 2;
  return examples.map((example) => {
    if (typeof example === 'string') return `  $ ${example}`;
    const [command, comment] = example;
    const line = `  $ ${command}`;
    if (column + comment.length <= width) return line.padEnd(column) + comment;
    return [line, ...wrap(comment, width - INDENT.length).map((part) => INDENT + part)].join('\n');
  });
}

/** What stands below the options of a verb: its notes and its examples. */
export function textBelow(
  { notes, examples = [] }: Pick<VerbDefinition, 'notes' | 'examples'>,
  width: number,
): string {
  const paragraphs = notes?.trim().replace(/(?<!\n)\n(?![\n ])/g, ' ');
  const prose = paragraphs === undefined ? [] : ['', ...wrap(paragraphs, Math.min(width, WIDEST_PROSE))];
  const list = examples.length === 0 ? [] : ['', 'Examples:', ...exampleLines(examples, width)];
  return [...prose, ...list].join('\n');
}
