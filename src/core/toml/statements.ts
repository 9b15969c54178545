import { isTomlTable, parseToml } from './parse.ts';

/** The names that lead to a value: `['mcp_servers', 'zwarm']`. */
export type Path = readonly string[];

/** One or several lines of a text, in characters; `codeEnd` is where the comment behind them begins, or the last one ends. */
interface Lines {
  readonly start: number;
  readonly end: number;
  readonly codeEnd: number;
}

/** A header or `key = value`, with all its lines. */
export interface Statement extends Lines {
  readonly kind: 'header' | 'pair';
  readonly path: Path;
}

// Strings and comments are tokens because they may hold anything, also what looks like a header.
const TOKEN =
  /#[^\n]*|"""(?:\\[\s\S]|[^\\])*?"""(?!")|'''[\s\S]*?'''(?!')|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[[\]{}]|\n/g;

/** The lines of a text; those over which one value goes on count as one. */
function linesOf(text: string): Lines[] {
  const lines: Lines[] = [];
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
    const parsed = parseToml(code);
    if (code.startsWith('[')) {
      table = namesIn(parsed);
      statements.push({ ...line, kind: 'header', path: table });
    } else statements.push({ ...line, kind: 'pair', path: [...table, ...Object.keys(parsed)] });
  }
  return statements;
}

/** The headers of a table and of those below it, each up to its last pair: a later comment may belong to what follows. */
export function sectionsOf(text: string, table: Path): Statement[] {
  const sections: Statement[] = [];
  for (const statement of statementsOf(text)) {
    const header = statement.kind === 'header' ? statement : sections.pop();
    if (header !== undefined) sections.push({ ...header, end: statement.end });
  }
  return sections.filter(({ path }) => table.every((name, i) => path[i] === name));
}
