import { patchToml } from '../core/toml/patch.ts';
import type { Key } from './key-names.ts';
import type { Given } from './keys.ts';
import { withFile } from './load.ts';

/**
 * The text of a file in which a key has another value, or none (null). Everything else stays as it is, comments too.
 * @throws ZwarmError `config` where the text is not TOML, or must be edited by hand
 */
export function withValue<K extends Key>(path: string, text: string, key: K, value: Given[K] | null): string {
  return withFile(path, () => patchToml(text, [key], value));
}
