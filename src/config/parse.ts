import { parse, TomlError } from 'smol-toml';
import { ZwarmError } from '../core/errors.ts';
import { cutText } from '../core/session.ts';
import { closest } from '../core/suggest.ts';
import { firstOf } from './notices.ts';
import { checked, type Rules, shown } from './schema.ts';
import { type Given, isKey, KEYS } from './values.ts';

/** What a file says, and what there is to say about it. */
export interface Parsed {
  readonly values: Given;
  readonly notices: readonly string[];
}

/** The table of a TOML text. @throws ZwarmError `config` with the line where it goes wrong */
export function parseToml(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw new ZwarmError(
      'config',
      `${path} is no valid TOML: ${cutText(first, 200)} (line ${error.line}, column ${error.column})`,
      'write each line as key = value, texts in quotes: model = "gpt-5.5"',
      error,
    );
  }
}

function unknownKeys(path: string, keys: readonly string[]): readonly string[] {
  const told = keys.map((key) => {
    const guess = closest(key, KEYS);
    return `${path}: unknown key ${shown(key)}${guess === null ? '' : `: did you mean ${guess}?`}`;
  });
  return firstOf(told, (more) => `${path}: ${more} more unknown ${more === 1 ? 'key' : 'keys'}`);
}

/** What the text of a file says. @throws ZwarmError `config` where that is no TOML, or a value is none that it may be */
export function parseFile(path: string, text: string, rules: Rules): Parsed {
  const table = parseToml(path, text);
  const refuse = (why: string) => new ZwarmError('config', `${path}: ${why}`, `edit ${path}`);
  const known = KEYS.filter((key) => Object.hasOwn(table, key));
  return {
    values: Object.fromEntries(known.map((key) => [key, checked(rules, key, table[key], refuse)])),
    notices: unknownKeys(
      path,
      Object.keys(table).filter((key) => !isKey(key)),
    ),
  };
}
