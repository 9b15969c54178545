import { ZwarmError } from '../core/errors.ts';
import { readUserText, withFile } from './read-text.ts';

/** A table of the user's own file; null where it has none. @throws ZwarmError `config` where the file cannot be understood */
export async function ownTable(file: string, name: string): Promise<unknown> {
  const text = readUserText(file);
  if (text === null || !text.includes(name)) return null;
  const { parseToml } = await import('../core/toml/parse.ts');
  return withFile(file, () => parseToml(text))[name];
}

/** The same for what only looks: a file that cannot be understood has none. `start` and `config` refuse it. */
export async function ownTableIfSound(file: string, name: string): Promise<unknown> {
  try {
    return await ownTable(file, name);
  } catch (error) {
    if (error instanceof ZwarmError) return null;
    throw error;
  }
}
