import * as z from 'zod/mini';
import { decodeOrNull } from '../core/decode.ts';
import { ZwarmError } from '../core/errors.ts';
import { ownTable } from './own-table.ts';

const table = z.record(z.string(), z.unknown());

/** The words of a command line, some of them in quotes; null where there is none, or a quote does not end. */
function wordsOf(line: unknown): readonly string[] | null {
  if (typeof line !== 'string' || !/^(?:"[^"]*"|'[^']*'|[^"'])*$/.test(line)) return null;
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const plain = words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
  return plain[0] ? plain : null;
}

/** The first entry of an `[alias]` table that cannot be understood, in words; else null. */
export function wrongAlias(value: unknown): string | null {
  const expected = 'must be a command line, such as "ls --source mine"';
  const entries = decodeOrNull(table, value);
  if (entries === null) return `alias must be a table: each entry ${expected}`;
  const wrong = Object.entries(entries).find(([, line]) => wordsOf(line) === null);
  return wrong === undefined ? null : `alias.${wrong[0]} ${expected}`;
}

/** What each word stands for in the user's own file. @throws ZwarmError `config` where that cannot be understood */
export async function readAliases(file: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const value = (await ownTable(file, 'alias')) ?? {};
  const wrong = wrongAlias(value);
  if (wrong !== null) throw new ZwarmError('config', `${file}: ${wrong}`, `edit ${file}`);
  return new Map(
    Object.entries(decodeOrNull(table, value) ?? {}).map(([word, line]) => [word, wordsOf(line) ?? []]),
  );
}
