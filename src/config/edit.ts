import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'smol-toml';
import { ZwarmError } from '../core/errors.ts';
import { parseToml } from './parse.ts';
import type { Given, Key } from './values.ts';

/** A statement `key = value` in a file: its lines, the last one without the comment behind it, which is kept. */
interface Statement {
  readonly first: number;
  readonly last: number;
  readonly indent: string;
  /** With the white space before it. */
  readonly comment: string;
}

/** A value of ours has no more lines; what looks like the beginning of one, in a text of several lines, say, may. */
const MOST_LINES = 1000;

/** Whether a piece of TOML says this, and nothing else. */
function says(path: string, piece: string, table: object): boolean {
  try {
    // Copied, because the parser's tables have no prototype.
    return isDeepStrictEqual({ ...parseToml(path, piece) }, table);
  } catch (error) {
    // Half a statement, or no statement at all.
    if (error instanceof ZwarmError) return false;
    throw error;
  }
}

/** Where a line may end: at each `#`, which may begin a comment, and at its end. */
function endsOf(line: string): number[] {
  return [...[...line.matchAll(/#/g)].map(({ index }) => index), line.length];
}

/** The statement that begins on a line: the parser itself says where it ends, which no pattern could. */
function statementAt(
  path: string,
  lines: readonly string[],
  first: number,
  table: object,
): Omit<Statement, 'indent'> | null {
  let before = '';
  for (let last = first; last < Math.min(lines.length, first + MOST_LINES); last += 1) {
    const line = lines[last] ?? '';
    for (const end of endsOf(line)) {
      const piece = line.slice(0, end).trimEnd();
      if (says(path, before + piece, table)) return { first, last, comment: line.slice(piece.length) };
    }
    before += `${line}\n`;
  }
  return null;
}

/** What looks like the statement; one of several may lie in a text of several lines, or below a table. */
function findStatements(path: string, lines: readonly string[], key: Key, value: unknown): Statement[] {
  const begins = new RegExp(`^(\\s*)(?:${key}|"${key}"|'${key}')\\s*=`);
  return lines.flatMap((line, first) => {
    const indent = begins.exec(line)?.[1];
    const found = indent === undefined ? null : statementAt(path, lines, first, { [key]: value });
    return indent === undefined || found === null ? [] : [{ ...found, indent }];
  });
}

/** The texts that may be what is wanted, the likeliest first. */
function candidates(path: string, text: string, key: Key, old: unknown, statement: string | null): string[] {
  const lines = text.split('\n');
  if (old !== undefined) {
    return findStatements(path, lines, key, old).map(({ first, last, indent, comment }) => {
      const line = statement === null ? [] : [`${indent}${statement}${comment}`];
      return lines.toSpliced(first, last - first + 1, ...line).join('\n');
    });
  }
  if (statement === null) return [text];
  // Behind a table it would belong to that.
  return [`${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${statement}\n`, `${statement}\n${text}`];
}

/**
 * The text of a file in which a key has another value, or none (null). Everything else stays as it is, comments too.
 * @throws ZwarmError `config` where the text is no TOML, or is written in such a way that it has to be edited by hand
 */
export function withValue<K extends Key>(path: string, text: string, key: K, value: Given[K] | null): string {
  // Read twice: what is wanted is worked out on a table of its own.
  const old = parseToml(path, text)[key];
  const wanted: Record<string, unknown> = { ...parseToml(path, text) };
  if (value === null) delete wanted[key];
  else wanted[key] = value;
  const statement = value === null ? null : stringify({ [key]: value }).trimEnd();
  const found = candidates(path, text, key, old, statement).find((candidate) =>
    says(path, candidate, wanted),
  );
  if (found !== undefined) return found;
  throw new ZwarmError(
    'config',
    `${path}: zwarm cannot change ${key} without touching something else`,
    `edit it by hand: ${statement === null ? `remove ${key}` : statement}`,
  );
}
