import { TextProblem, ZwarmError } from '../core/errors.ts';
import { patchToml } from '../core/toml/patch.ts';
import { byHand, type Host, type HostEntry } from './hosts.ts';
import { patchJson } from './patch-json.ts';

/** What our entry is called in every host. */
const SERVER = 'zwarm';

/** A host's file with our entry, or without for null; `''` gives what to paste. @throws ZwarmError `config` if unsafe */
export function editHostText(host: Host, file: string, text: string, entry: HostEntry | null): string {
  try {
    return (host.format === 'toml' ? patchToml : patchJson)(text, [host.servers, SERVER], entry);
  } catch (error) {
    if (!(error instanceof TextProblem)) throw error;
    throw new ZwarmError('config', `${file}: ${error.message}`, byHand(host), error);
  }
}
