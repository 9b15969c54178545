import * as z from 'zod/mini';
import { decodeOrNull } from '../core/decode.ts';
import { ownTable } from './own-table.ts';

const table = z.record(z.string(), z.string().check(z.regex(/\S/)));

/** What is wrong with an `[alias]` table, in words; else null. */
export function wrongAlias(value: unknown): string | null {
  const expected = 'alias must be a table of command lines, such as mine = "ls --source mine"';
  return decodeOrNull(table, value) === null ? expected : null;
}

/** The words that a word stands for in the user's own file; null where it stands for nothing. */
export async function aliasOf(file: string, word: string): Promise<readonly string[] | null> {
  const aliases = decodeOrNull(table, await ownTable(file, 'alias'));
  const line = aliases !== null && Object.hasOwn(aliases, word) ? aliases[word] : undefined;
  const words = line?.match(/"[^"]*"|'[^']*'|\S+/g) ?? null;
  return words?.map((one) => one.replace(/^(["'])(.*)\1$/, '$2')) ?? null;
}
