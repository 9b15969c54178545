import { TextProblem, ZwarmError } from '../core/errors.ts';
import { readUserText } from './read-text.ts';

/** A table of the user's own file; null where it has none. A file that cannot be understood has none. */
export async function ownTable(file: string, name: string): Promise<unknown> {
  try {
    const text = readUserText(file);
    if (text === null || !text.includes(name)) return null;
    return (await import('../core/toml/parse.ts')).parseToml(text)[name];
  } catch (error) {
    // Verbs that only look say nothing about the configuration; `start` and `config` do.
    if (error instanceof TextProblem || error instanceof ZwarmError) return null;
    throw error;
  }
}
