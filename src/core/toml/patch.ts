import { stringify } from 'smol-toml';
import { TextProblem } from '../errors.ts';
import { isTomlTable, parseToml, sameToml, type TomlTable } from './parse.ts';
import { type Path, type Statement, sectionsOf, statementsOf } from './statements.ts';

// Edited as text, as no library writes a user's comments and spelling back; the result is parsed and compared.

const ENDS_WITH_EMPTY_LINE = /(?:^|\n)\r?\n$/;

const newlineOf = (text: string): string => /\r?\n/.exec(text)?.[0] ?? '\n';

/** Ends the last line of a text that has any. */
const ended = (text: string): string => (/(^|\n)$/.test(text) ? text : text + newlineOf(text));

/** Cuts a section, with the empty line before it where another empty line or nothing follows. */
function cut(text: string, { start, end }: Statement): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const spare = ENDS_WITH_EMPTY_LINE.test(before) && /^(?:\r?\n|$)/.test(after);
  return (spare ? before.replace(/\r?\n$/, '') : before) + after;
}

function append(text: string, lines: string): string {
  const before = ended(text);
  return before + (before === '' || ENDS_WITH_EMPTY_LINE.test(before) ? '' : newlineOf(text)) + lines;
}

const WIDTH = 90;

/** A value as it is written behind `key = `; a long list takes several lines. */
function written(value: unknown): string {
  if (isTomlTable(value)) {
    const pairs = Object.entries(value).map(([key, one]) => stringify({ [key]: one }).trimEnd());
    return `{ ${pairs.join(', ')} }`;
  }
  const line = stringify({ value }).trimEnd().slice('value = '.length);
  if (!Array.isArray(value) || line.length <= WIDTH) return line;
  const lines = [''];
  for (const word of value.map((one) => `${written(one)},`)) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length > WIDTH) lines.push(`  ${word}`);
    else lines[lines.length - 1] = last === '' ? `  ${word}` : `${last} ${word}`;
  }
  return `[\n${lines.filter((one) => one !== '').join('\n')}\n]`;
}

const writtenPair = (key: string, value: unknown): string => `${key} = ${written(value)}`;

function patchKey(text: string, key: string, value: unknown): string {
  const pairs = statementsOf(text).filter(({ kind, path }) => kind === 'pair' && path.length === 1);
  const old = pairs.find(({ path }) => path[0] === key);
  if (value === null) return old === undefined ? text : text.slice(0, old.start) + text.slice(old.end);
  const line = writtenPair(key, value).replaceAll('\n', newlineOf(text));
  if (old !== undefined) {
    const indent = /^\s*/.exec(text.slice(old.start))?.[0] ?? '';
    return text.slice(0, old.start) + indent + line + text.slice(old.codeEnd);
  }
  // After a header it would belong to that table.
  const at = pairs.at(-1)?.end ?? (statementsOf(text).length > 0 ? 0 : text.length);
  return `${ended(text.slice(0, at))}${line}${newlineOf(text)}${text.slice(at)}`;
}

/** Writes a table, and keeps the tables below it that `isKept`; null removes all of them. */
function patchTable(
  text: string,
  path: Path,
  value: TomlTable | null,
  isKept: (section: Statement) => boolean,
): string {
  const pairs = Object.entries(value ?? {}).map(([key, one]) => `${writtenPair(key, one)}\n`);
  const lines = `[${path.join('.')}]\n${pairs.join('')}`.replaceAll('\n', newlineOf(text));
  const sections = sectionsOf(text, path);
  const main = value === null ? undefined : sections.find((one) => one.path.length === path.length);
  let edited = value !== null && main === undefined ? append(text, lines) : text;
  // From the end, so that what is left to do stays where it was.
  for (const section of sections.toReversed()) {
    const { start, end } = section;
    const table = text.slice(start, end).endsWith('\n') ? lines : lines.trimEnd();
    if (section === main) edited = edited.slice(0, start) + table + edited.slice(end);
    else if (!isKept(section)) edited = cut(edited, section);
  }
  return edited;
}

function valueAt(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return value;
  return isTomlTable(value) && Object.hasOwn(value, name) ? valueAt(value[name], rest) : undefined;
}

function without(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return undefined;
  const table = value ?? {};
  return isTomlTable(table) ? { ...table, [name]: without(table[name], rest) } : table;
}

/** Whether the new text has the wanted value at the path, and is otherwise equal to the old one. */
function isSafe(before: TomlTable, text: string, path: Path, meant: unknown): boolean {
  try {
    const after = parseToml(text);
    return sameToml(without(after, path), without(before, path)) && sameToml(valueAt(after, path), meant);
  } catch (error) {
    if (error instanceof TextProblem) return false;
    throw error;
  }
}

/**
 * Sets a key of the root or a table of a TOML text; null removes it. All else stays as it is, byte for byte, also the
 * tables below the table. @throws TextProblem where the text is not TOML, or would not say exactly what was meant
 */
export function patchToml(text: string, path: Path, value: unknown): string {
  const before = parseToml(text);
  const old = valueAt(before, path);
  const table = isTomlTable(value) ? value : null;
  const isKept = (section: Statement): boolean => {
    const name = section.path[path.length];
    return table !== null && name !== undefined && !Object.hasOwn(table, name);
  };
  const kept = sectionsOf(text, path).filter(isKept);
  const isBelow = (key: string): boolean => kept.some((section) => section.path[path.length] === key);
  const stays = isTomlTable(old) ? Object.entries(old).filter(([key]) => isBelow(key)) : [];
  const meant = table === null ? (value ?? undefined) : { ...Object.fromEntries(stays), ...table };
  if (sameToml(old, meant)) return text;
  const [key = ''] = path;
  const edited = path.length === 1 ? patchKey(text, key, value) : patchTable(text, path, table, isKept);
  if (isSafe(before, edited, path, meant)) return edited;
  throw new TextProblem(`zwarm cannot edit ${path.join('.')} in the form in which it is written there`);
}
