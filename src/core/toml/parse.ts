import { parse, TomlError } from 'smol-toml';
import { TextProblem } from '../errors.ts';

export type TomlTable = Readonly<Record<string, unknown>>;

/** The table of a TOML text. An integer that a double cannot hold is a bigint. @throws TextProblem */
export function parseToml(text: string): TomlTable {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [why] = error.message.replace(/^Invalid TOML document: /, '').split('\n', 1);
    throw new TextProblem(`line ${error.line}, column ${error.column} is not valid TOML: ${why}`);
  }
}

/** Whether a value is a table, and not a list or a date. */
export function isTomlTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Whether two values of TOML texts are equal. */
export function sameToml(a: unknown, b: unknown): boolean {
  if (a instanceof Date && b instanceof Date) return a.toISOString() === b.toISOString();
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, i) => sameToml(one, b[i]));
  if (!isTomlTable(a) || !isTomlTable(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameToml(a[key], b[key]))
  );
}
