import { ZwarmError } from '../core/errors.ts';
import { TextProblem } from '../core/text-problem.ts';
import { patchToml } from '../core/toml/patch.ts';
import type { Given, Key } from './values.ts';

/**
 * The text of a file in which a key has another value, or none (null). Everything else stays as it is, comments too.
 * @throws ZwarmError `config` where the text is not TOML, or must be edited by hand
 */
export function withValue<K extends Key>(path: string, text: string, key: K, value: Given[K] | null): string {
  try {
    return patchToml(text, [key], value);
  } catch (error) {
    if (!(error instanceof TextProblem)) throw error;
    throw new ZwarmError('config', `${path}: ${error.message}`, `edit ${path} by hand`, error);
  }
}
