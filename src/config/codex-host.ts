import { isDeepStrictEqual } from 'node:util';
import { type HostEntry, type HostFormat, type HostValue, SERVER, Uneditable } from './host-format.ts';

/*
 * Codex's config.toml. It is edited as text, because a user's comments, order and spelling are worth more than ours, and
 * no library writes TOML back as it was. What came of it is then parsed and compared.
 */

type Table = Readonly<Record<string, unknown>>;

const SERVERS = 'mcp_servers';

/** Loaded only here: no other verb reads TOML at its start. */
async function parser(): Promise<(text: string) => Table> {
  const { parse, TomlError } = await import('smol-toml');
  return (text) => {
    try {
      // A number that JavaScript would round must count as what it is.
      return parse(text, { integersAsBigInt: true });
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const why = error.message.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '');
      throw new Uneditable(`line ${error.line} is no valid TOML: ${why}`);
    }
  };
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The servers of a document. */
function serversOf(document: Table): Table {
  const servers = document[SERVERS] ?? {};
  if (isTable(servers)) return servers;
  throw new Uneditable(`${SERVERS} is no table`);
}

/** A stretch of a text, in characters. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

// Strings and comments are here because they may hold anything, also what looks like a header.
const TOKEN =
  /#[^\n]*|"""(?:\\[\s\S]|[^\\])*?"""(?!")|'''[\s\S]*?'''(?!')|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[[\]{}]|\n/g;

/** The lines of a document; those over which a value goes on are one. */
function statementsOf(text: string): Stretch[] {
  const statements: Stretch[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    else if (token === '\n' && depth === 0) {
      statements.push({ start, end: index + 1 });
      start = index + 1;
    }
  }
  return [...statements, { start, end: text.length }];
}

/** A table under a header of its own, up to its last value: comments after that may belong to the next one. */
interface Section extends Stretch {
  readonly path: readonly string[];
}

/** The names in a header, from what parsing it alone gives. */
function pathOf(header: unknown): string[] {
  const table = Array.isArray(header) ? header[0] : header;
  const [first] = isTable(table) ? Object.entries(table) : [];
  return first === undefined ? [] : [first[0], ...pathOf(first[1])];
}

function sectionsOf(text: string, parse: (text: string) => Table): Section[] {
  const sections: Section[] = [];
  for (const { start, end } of statementsOf(text)) {
    const statement = text.slice(start, end).trim();
    const last = sections.at(-1);
    if (statement === '' || statement.startsWith('#')) continue;
    if (statement.startsWith('[')) sections.push({ path: pathOf(parse(statement)), start, end });
    else if (last !== undefined) sections[sections.length - 1] = { ...last, end };
  }
  return sections;
}

function isOurs({ path }: Section): boolean {
  return path[0] === SERVERS && path[1] === SERVER;
}

const ENDS_WITH_EMPTY_LINE = /(?:^|\n)\r?\n$/;

/** A text without a stretch of it, nor the empty line before that, where another one or nothing follows. */
function cut(text: string, { start, end }: Stretch): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const spare = ENDS_WITH_EMPTY_LINE.test(before) && /^(?:\r?\n|$)/.test(after);
  return (spare ? before.replace(/\r?\n$/, '') : before) + after;
}

function replace(text: string, { start, end }: Stretch, lines: string): string {
  const ended = text.slice(start, end).endsWith('\n');
  return text.slice(0, start) + (ended ? lines : lines.trimEnd()) + text.slice(end);
}

function append(text: string, lines: string, newline: string): string {
  const ended = text === '' || text.endsWith('\n') ? text : text + newline;
  return ended + (ended === '' || ENDS_WITH_EMPTY_LINE.test(ended) ? '' : newline) + lines;
}

/** @throws Uneditable unless the new text says the same as the old one but for our entry, and of that what was meant */
function verify(parse: (text: string) => Table, before: Table, text: string, meant: Table | undefined): void {
  const rest = (document: Table): Table => ({
    ...document,
    [SERVERS]: { ...serversOf(document), [SERVER]: undefined },
  });
  const reads = (): Table | null => {
    try {
      return parse(text);
    } catch (error) {
      // The old text could be parsed: only our edit can be wrong.
      if (error instanceof Uneditable) return null;
      throw error;
    }
  };
  const after = reads();
  const same = after !== null && isDeepStrictEqual(rest(after), rest(before));
  if (same && isDeepStrictEqual(serversOf(after)[SERVER], meant)) return;
  throw new Uneditable(`${SERVERS}.${SERVER} cannot be edited in the form in which it is written there`);
}

const WIDTH = 90;

/** Words of a list on lines that are not too long. */
function fill(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > WIDTH) lines.push(`  ${word},`);
    else lines[lines.length - 1] = `${last} ${word},`;
  }
  return lines;
}

function isList(value: HostValue): value is readonly string[] {
  return Array.isArray(value);
}

function tomlValue(value: HostValue): string {
  if (typeof value !== 'object') return JSON.stringify(value);
  if (!isList(value)) {
    const pairs = Object.entries(value).map(([key, text]) => `${key} = ${JSON.stringify(text)}`);
    return `{ ${pairs.join(', ')} }`;
  }
  const words = value.map((word) => JSON.stringify(word));
  const line = `[${words.join(', ')}]`;
  return line.length <= WIDTH ? line : ['[', ...fill(words), ']'].join('\n');
}

function snippet(entry: HostEntry): string {
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${tomlValue(value)}\n`);
  return `[${SERVERS}.${SERVER}]\n${lines.join('')}`;
}

async function put(text: string, entry: HostEntry): Promise<string> {
  const parse = await parser();
  const before = parse(text);
  const sections = sectionsOf(text, parse).filter(isOurs);
  const main = sections.find(({ path }) => path.length === 2);
  const isKept = ({ path: [, , name] }: Section): boolean =>
    name !== undefined && !Object.hasOwn(entry, name);
  const kept = new Set(sections.filter(isKept).map(({ path }) => path[2]));
  const there = serversOf(before)[SERVER];
  const old = Object.entries(isTable(there) ? there : {}).filter(([key]) => kept.has(key));
  // Parsed too, as everything that it is compared with.
  const fresh = serversOf(parse(snippet(entry)))[SERVER];
  const meant: Table = Object.assign(Object.create(null), Object.fromEntries(old), fresh);
  if (isDeepStrictEqual(there, meant)) return text;
  const newline = /\r?\n/.exec(text)?.[0] ?? '\n';
  const lines = snippet(entry).replaceAll('\n', newline);
  let edited = main === undefined ? append(text, lines, newline) : text;
  // From the end, so that what is left to do stays where it was.
  for (const section of sections.toReversed()) {
    if (section === main) edited = replace(edited, section, lines);
    else if (!isKept(section)) edited = cut(edited, section);
  }
  verify(parse, before, edited, meant);
  return edited;
}

async function take(text: string): Promise<string> {
  const parse = await parser();
  const before = parse(text);
  if (serversOf(before)[SERVER] === undefined) return text;
  const edited = sectionsOf(text, parse).filter(isOurs).reduceRight(cut, text);
  verify(parse, before, edited, undefined);
  return edited;
}

/** `config.toml` of Codex. */
export const codexFormat: HostFormat = { snippet, put, take };
