import { Help } from 'commander';
import { type Example, type Options, optionNames, type VerbDefinition } from '../define-verb.ts';

/** With less room than this beside its term, a description stands below it. */
const LEAST_BESIDE = 28;

const WIDEST_PROSE = 100;

const INDENT = ' '.repeat(6);

const HELP = Object.assign(new Help(), { minWidthToWrap: 20 });

/** A heading with verbs below it. */
export interface VerbGroup {
  readonly title: string;
  readonly verbs: readonly VerbDefinition[];
}

/** What is said of a command: by `--help`, and by its manual page. */
export interface CommandPage {
  /** How it is called, such as `zwarm config set`. */
  readonly path: string;
  readonly definition: VerbDefinition;
  /** The commands below it. */
  readonly groups: readonly VerbGroup[];
  /** The options that it shares with all commands. */
  readonly globals: Options;
}

/**
 * Names the options of all commands, on the page of one of them; null for the page of zwarm, which explains them. Where that
 * is to be found follows.
 */
export function globalsElsewhere({ path, globals }: CommandPage): string | null {
  if (!path.includes(' ')) return null;
  const names = Object.values(globals).map(({ term }) => optionNames(term).long);
  return `All commands take ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The page of a verb. */
export function pageOf(path: string, definition: VerbDefinition, globals: Options): CommandPage {
  const { subcommands = [] } = definition;
  const groups = subcommands.length === 0 ? [] : [{ title: 'Commands', verbs: subcommands }];
  return { path, definition, groups, globals };
}

/** How a command is typed: `zwarm show [options] <id>`. */
export function usageOf({ path, definition, groups }: CommandPage): string {
  const { args = {}, options = {}, run } = definition;
  const below = groups.length === 0 ? [] : run === undefined ? ['<command>'] : ['[command]'];
  const taken = Object.keys(options).length === 0 && run !== undefined ? [] : ['[options]'];
  return [path, ...below, ...taken, ...Object.values(args).map(({ term }) => term)].join(' ');
}

/** The paragraphs of the notes, each on one line; what is indented keeps its lines. */
export function paragraphsOf({ notes }: VerbDefinition): string | null {
  return notes?.trim().replace(/(?<!\n)\n(?![\n ])/g, ' ') ?? null;
}

/** A list in the help: a term, and its description beside it or, on a narrow terminal, below it. */
type Items = readonly (readonly [term: string, description: string])[];

const itemsOf = (table: NonNullable<VerbDefinition['args']> | Options): Items =>
  Object.values(table).map(({ term, description }) => [term, description]);

function wrap(text: string, width: number): string[] {
  return HELP.boxWrap(text, width).split('\n');
}

/** Paragraphs as lines; what belongs to an indented line is indented further. */
function proseLines(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const indent = ' '.repeat(line.length - line.trimStart().length);
    const [first = '', ...rest] = wrap(line, indent === '' ? width : width - INDENT.length);
    return [first, ...rest.map((part) => (indent === '' ? part : INDENT + part))];
  });
}

function itemLines([term, description]: Items[number], termWidth: number, width: number): string[] {
  const start = termWidth + 4;
  const beside = width - start >= LEAST_BESIDE;
  const indent = beside ? ' '.repeat(start) : INDENT;
  const lines = wrap(description, width - indent.length);
  const first = beside ? `  ${term.padEnd(termWidth)}  ${lines.shift() ?? ''}` : `  ${term}`;
  return [first, ...lines.map((line) => indent + line)];
}

/** The words of a line of a shell: what is quoted is one, and so is an option with its value. */
const SHELL_WORDS = /-[\w-]+ [\w@~.][\w@~./:,-]*(?= |$)|(?:"[^"]*"|'[^']*'|[^\s"'])+/g;

/** A line of a shell that is too long, broken so that it can still be copied. */
function commandLines(command: string, width: number): string[] {
  const start = '  $ ';
  if (start.length + command.length <= width) return [start + command];
  const lines = [start];
  for (const word of command.match(SHELL_WORDS) ?? []) {
    const last = lines.at(-1) ?? '';
    const isEmpty = last.trim() === '' || last === start;
    if (isEmpty || last.length + ` ${word} \\`.length <= width)
      lines[lines.length - 1] = isEmpty ? last + word : `${last} ${word}`;
    else lines.push(INDENT + word);
  }
  return lines.map((line, at) => (at < lines.length - 1 ? `${line} \\` : line));
}

/** Examples as lines of at most so many columns; what is longer can still be copied. */
export function exampleLines(examples: readonly Example[], width: number): string[] {
  const commented = examples.flatMap((example) => (typeof example === 'string' ? [] : [example[0].length]));
  const column = 4 + Math.max(0, ...commented) + 2;
  return examples.flatMap((example) => {
    const [command, comment] = typeof example === 'string' ? [example, null] : example;
    const lines = commandLines(command, width);
    if (comment === null) return lines;
    if (column + comment.length <= width) return [(lines[0] ?? '').padEnd(column) + comment];
    return [...lines, ...wrap(comment, width - INDENT.length).map((part) => INDENT + part)];
  });
}

/** A summary as a sentence. */
export const sentence = (summary: string): string => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;

/** The help of a command for a terminal of so many columns. */
export function helpPage(page: CommandPage, width: number): string {
  const { path, definition, groups, globals } = page;
  const { summary, aliases = [], args = {}, options = {}, examples = [] } = definition;
  const elsewhere = globalsElsewhere(page);
  const sections: readonly (readonly [title: string, items: Items])[] = [
    ['Arguments', itemsOf(args)],
    ['Options', itemsOf(options)],
    ...groups.map(({ title, verbs }): (typeof sections)[number] => [title, verbs.map(commandItem)]),
    ['Global options', elsewhere === null ? itemsOf(globals) : []],
  ];
  const termWidth = Math.max(...sections.flatMap(([, items]) => items.map(([term]) => term.length)));
  const listed = sections.map(([title, items]) =>
    items.length === 0 ? [] : ['', `${title}:`, ...items.flatMap((one) => itemLines(one, termWidth, width))],
  );
  const prose = (text: string): string[] => ['', ...proseLines(text, Math.min(width, WIDEST_PROSE))];
  const also = aliases.map((alias) => path.replace(/\S+$/, alias)).join(', ');
  const notes = paragraphsOf(definition);
  const lines = [
    ...wrap(`Usage: ${usageOf(page)}`, width),
    ...(also === '' ? [] : wrap(`Also:  ${also}`, width)),
    ...prose(sentence(summary)),
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...exampleLines(examples, width)]),
    ...listed.slice(0, -1).flat(),
    ...(notes === null ? [] : prose(notes)),
    ...listed.slice(-1).flat(),
    ...(elsewhere === null ? [] : prose(`${elsewhere}: see zwarm --help.`)),
  ];
  return `${lines.join('\n')}\n`;
}

function commandItem({ name, args = {}, summary }: VerbDefinition): Items[number] {
  return [[name, ...Object.values(args).map(({ term }) => term)].join(' '), summary];
}
