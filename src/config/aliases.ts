import * as z from 'zod/mini';
import { decodeOrNull } from '../core/decode.ts';
import { ZwarmError } from '../core/errors.ts';
import type { ConfigPlace } from '../core/rules/policy.ts';
import { userConfigFile } from '../core/user-places.ts';
import { ownTable, ownTableIfSound } from './own-table.ts';

const table = z.record(z.string(), z.unknown());

/** The words of a command line, some of them in quotes; null where there is none, or a quote does not end. */
function wordsOf(line: unknown): readonly string[] | null {
  if (typeof line !== 'string' || !/^(?:"[^"]*"|'[^']*'|[^"'])*$/.test(line)) return null;
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const plain = words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
  return plain[0] ? plain : null;
}

/** What can be typed as a command: no option, and nothing that a shell would take for something else. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

const EXPECTED = 'must be a word for a command line, such as mine = "ls --source mine"';

/** The words that an entry stands for; null where it cannot be understood. */
const entryOf = (word: string, line: unknown): readonly string[] | null =>
  NAME.test(word) ? wordsOf(line) : null;

/** The first entry of an `[alias]` table that cannot be understood, in words; else null. */
export function wrongAlias(value: unknown): string | null {
  const entries = decodeOrNull(table, value);
  if (entries === null) return `alias must be a table: each entry ${EXPECTED}`;
  const wrong = Object.entries(entries).find(([word, line]) => entryOf(word, line) === null);
  return wrong === undefined ? null : `alias.${JSON.stringify(wrong[0])} ${EXPECTED}`;
}

/** What each word of a table stands for, null where its entry cannot be understood. */
function entriesOf(value: unknown): ReadonlyMap<string, readonly string[] | null> {
  const entries = Object.entries(decodeOrNull(table, value) ?? {});
  return new Map(entries.map(([word, line]) => [word, entryOf(word, line)]));
}

/** What a word stands for in the user's own file; undefined for nothing. @throws ZwarmError `config` */
export async function aliasOf(env: ConfigPlace['env'], word: string): Promise<readonly string[] | undefined> {
  const file = userConfigFile(env);
  if (file === null) return undefined;
  const words = entriesOf(await ownTable(file, 'alias')).get(word);
  if (words !== null) return words;
  throw new ZwarmError('config', `${file}: alias.${JSON.stringify(word)} ${EXPECTED}`, `edit ${file}`);
}

/** All aliases in the user's own file that can be understood; none where the file cannot be. */
export async function allAliases(env: ConfigPlace['env']): Promise<ReadonlyMap<string, readonly string[]>> {
  const file = userConfigFile(env);
  const entries = file === null ? [] : [...entriesOf(await ownTableIfSound(file, 'alias'))];
  return new Map(entries.flatMap(([word, words]) => (words === null ? [] : [[word, words]])));
}
