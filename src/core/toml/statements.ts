import { isTomlTable, parseToml } from './parse.ts';

/** The names that lead to a value: `['mcp_servers', 'zwarm']`. */
export type Path = readonly string[];

/** A range of a text, in characters. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A header or `key = value`, with all its lines. */
export interface Statement extends Range {
  readonly kind: 'header' | 'pair';
  readonly path: Path;
  /** Where the comment behind it begins, or its last line ends. */
  readonly codeEnd: number;
}

// Strings and comments are tokens because they may hold anything, also what looks like a header.
const TOKEN =
  /#[^\n]*|"""(?:\\[\s\S]|[^\\])*?"""(?!")|'''[\s\S]*?'''(?!')|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[[\]{}]|\n/g;

/** The lines of a text; those over which one value goes on count as one. */
function linesOf(text: string): (Range & { readonly codeEnd: number })[] {
  const lines: (Range & { readonly codeEnd: number })[] = [];
  let depth = 0;
  let start = 0;
  let comment: number | undefined;
  const add = (end: number): void => {
    const code = text.slice(start, comment ?? end).trimEnd();
    lines.push({ start, end, codeEnd: start + code.length });
    start = end;
    comment = undefined;
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (/^[[{]$/.test(token)) depth += 1;
    else if (/^[\]}]$/.test(token)) depth -= 1;
    else if (depth === 0 && token === '\n') add(index + 1);
    else if (depth === 0 && token.startsWith('#')) comment = index;
  }
  add(text.length);
  return lines;
}

/** The names in a header, given what parsing the header alone yields. */
function namesIn(header: unknown): string[] {
  const table = Array.isArray(header) ? header[0] : header;
  const [first] = isTomlTable(table) ? Object.entries(table) : [];
  return first === undefined ? [] : [first[0], ...namesIn(first[1])];
}

/** All headers and pairs of a TOML text. */
export function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let table: Path = [];
  for (const line of linesOf(text)) {
    const code = text.slice(line.start, line.codeEnd).trim();
    if (code === '') continue;
    const kind = code.startsWith('[') ? 'header' : 'pair';
    const parsed = parseToml(code);
    if (kind === 'header') table = namesIn(parsed);
    const path = kind === 'header' ? table : [...table, ...Object.keys(parsed)];
    statements.push({ ...line, kind, path });
  }
  return statements;
}

/** A table under its own header, up to its last pair: a comment after that may belong to the next table. */
export interface Section extends Range {
  readonly path: Path;
}

/** The sections of a table and of the tables below it. */
export function sectionsOf(text: string, table: Path): Section[] {
  const sections: Section[] = [];
  for (const { kind, path, start, end } of statementsOf(text)) {
    const last = sections.at(-1);
    if (kind === 'header') sections.push({ path, start, end });
    else if (last !== undefined) sections[sections.length - 1] = { ...last, end };
  }
  return sections.filter(({ path }) => table.every((name, i) => path[i] === name));
}
