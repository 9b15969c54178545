import { PROGRAM, SHARED_OPTIONS } from '../command-tree.ts';
import type { Argument } from '../define-verb.ts';
import { VERB_GROUPS } from '../verbs.ts';
import {
  type CommandPage,
  exampleLines,
  globalsElsewhere,
  pageOf,
  paragraphsOf,
  sentence,
  usageOf,
} from './help-page.ts';

/*
 * Manual pages in the language of man(7), from the same tables as the help. They are made when zwarm is built; no command
 * loads this.
 */

/** What the pages say that the tables of the verbs do not know. */
export interface Facts {
  readonly version: string;
  /** Exit codes, and the environment variables that zwarm reads, each with what it means. */
  readonly exitCodes: readonly (readonly [code: string, meaning: string])[];
  readonly environment: readonly (readonly [name: string, meaning: string])[];
}

/** Below the indentation of a page on a terminal of 80 columns. */
const EXAMPLE_WIDTH = 72;

const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\e',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '-': '\\-',
};

/** A text as it is typed: what roff would take for something else is written so that it can be copied from the page. */
function literal(text: string): string {
  const escaped = text
    .replace(/[\\'`^~-]/g, (character) => SPECIAL[character] ?? character)
    .replace(
      /[^\0-\x7f]/gu,
      (one) => `\\[u${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    );
  return escaped.replace(/^\./gm, '\\&.');
}

/** A text for readers, in which only options have true dashes. */
function prose(text: string): string {
  const parts = text.split(/(?<!\w)(--?[a-z][\w-]*)/i).map(literal);
  return parts.map((part, at) => (at % 2 === 1 ? part : part.replaceAll('\\-', '-'))).join('');
}

const bold = (text: string): string => `\\fB${literal(text)}\\fR`;

/** A term such as `-n, --limit <count>`: what is typed in bold, what it stands for in italics. */
function term(text: string): string {
  return text.replace(
    /<([\w. ]+)>|\[([\w. ]+)\]|([^<[]+)/g,
    (_all, needed?: string, optional?: string, typed?: string) => {
      if (needed !== undefined) return `\\fI${literal(needed)}\\fR`;
      return optional !== undefined ? `[\\fI${literal(optional)}\\fR]` : bold(typed ?? '');
    },
  );
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`.SH ${title}`, ...lines];

const items = (table: Readonly<Record<string, Argument<unknown>>> = {}): string[] =>
  Object.values(table).flatMap((one) => ['.TP', term(one.term), prose(one.description)]);

const asTyped = (lines: readonly string[]): string[] => ['.EX', ...lines.map(literal), '.EE'];

/** Paragraphs, and lines that are indented as they are. */
function paragraphs(text: string): string[] {
  return text.split('\n\n').flatMap((paragraph) => {
    const lines = paragraph.split('\n');
    const listed = lines.filter((line) => line.startsWith(' '));
    const read = lines.filter((line) => !line.startsWith(' '));
    return ['.PP', prose(read.join(' ')), ...(listed.length === 0 ? [] : ['.PP', ...asTyped(listed)])];
  });
}

const nameOf = (path: string): string => path.replaceAll(' ', '-');

const reference = (path: string): string => `${bold(nameOf(path))}(1)`;

/** The page of a command, and those of what is below it, by the names of their files. */
function pagesBelow(
  page: CommandPage,
  related: readonly string[],
  facts: Facts,
): [file: string, text: string][] {
  const { path, definition, groups } = page;
  const { summary, args, options, aliases = [], examples = [] } = definition;
  const isProgram = page === PROGRAM;
  const also = aliases.map((alias) => path.replace(/\S+$/, alias)).join(', ');
  const notes = paragraphsOf(definition);
  const elsewhere = globalsElsewhere(page);
  const below = groups.flatMap(({ verbs }) =>
    verbs.map((verb) => pageOf(`${path} ${verb.name}`, verb, SHARED_OPTIONS)),
  );
  const commands = groups.flatMap(({ title, verbs }) => [
    ...(isProgram ? [`.SS ${title}`] : []),
    ...verbs.flatMap((verb) => ['.TP', reference(`${path} ${verb.name}`), prose(sentence(verb.summary))]),
  ]);
  const [command = '', ...rest] = usageOf(page).split(/ (?=[<[])/);
  const lines = [
    `.TH ${nameOf(path).toUpperCase()} 1 "" "zwarm ${facts.version}" "zwarm manual"`,
    // Neither hyphens nor spaces that were not written.
    '.nr HY 0',
    '.nh',
    '.ad l',
    ...section('NAME', [
      `${literal(nameOf(path))} \\- ${prose(summary.charAt(0).toLowerCase() + summary.slice(1))}`,
    ]),
    ...section('SYNOPSIS', [[bold(command), ...rest.map(term)].join(' ')]),
    ...section('DESCRIPTION', [
      prose(sentence(summary)),
      ...(also === '' ? [] : ['.PP', prose(`It can also be called ${also}.`)]),
      ...(notes === null ? [] : paragraphs(notes)),
    ]),
    ...section('COMMANDS', commands),
    ...section('ARGUMENTS', items(args)),
    ...section(
      'OPTIONS',
      elsewhere === null
        ? items({ ...options, ...page.globals })
        : [
            ...items(options),
            ...(options === undefined ? [] : ['.PP']),
            `${prose(elsewhere)}: see ${reference(PROGRAM.path)}.`,
          ],
    ),
    ...section('EXAMPLES', examples.length === 0 ? [] : asTyped(exampleLines(examples, EXAMPLE_WIDTH))),
    ...section(
      'EXIT STATUS',
      facts.exitCodes.flatMap(([code, meaning]) => ['.TP', bold(code), prose(meaning)]),
    ),
    ...section(
      'ENVIRONMENT',
      isProgram ? facts.environment.flatMap(([name, meaning]) => ['.TP', bold(name), prose(meaning)]) : [],
    ),
    ...section('SEE ALSO', [
      [...related, ...below.map((one) => one.path)]
        .filter((one) => one !== path)
        .map(reference)
        .join(',\n'),
    ]),
  ];
  return [
    [`${nameOf(path)}.1`, `${lines.join('\n')}\n`],
    ...below.flatMap((one) => pagesBelow(one, isProgram ? relatedTo(one.path) : [PROGRAM.path, path], facts)),
  ];
}

/** What the page of a verb refers to: the program, and the verbs of the same group. */
function relatedTo(path: string): readonly string[] {
  const paths = VERB_GROUPS.map(({ verbs }) => verbs.map(({ name }) => `${PROGRAM.path} ${name}`));
  return [PROGRAM.path, ...(paths.find((group) => group.includes(path)) ?? [])];
}

/** All manual pages, by the names of their files. */
export function manPages(facts: Facts): ReadonlyMap<string, string> {
  return new Map(pagesBelow(PROGRAM, [], facts));
}
