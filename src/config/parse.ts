import { ZwarmError } from '../core/errors.ts';
import { cutText } from '../core/session.ts';
import { closest } from '../core/suggest.ts';
import { TextProblem } from '../core/text-problem.ts';
import { parseToml, type TomlTable } from '../core/toml/parse.ts';
import { firstOf } from './notices.ts';
import { checked, type Rules, shown } from './schema.ts';
import { type Given, isKey, KEYS } from './values.ts';

/** What a file says, and what there is to say about it. */
export interface Parsed {
  readonly values: Given;
  readonly notices: readonly string[];
}

/** The table of a TOML text. @throws ZwarmError `config` with the line where it goes wrong */
function readToml(path: string, text: string): TomlTable {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TextProblem)) throw error;
    const hint = 'write each line as key = value, texts in quotes: model = "gpt-5.5"';
    throw new ZwarmError('config', `${path}: ${cutText(error.message, 200)}`, hint, error);
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
  const table = readToml(path, text);
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
