import { ZwarmError } from '../core/errors.ts';
import { TextProblem } from '../core/text-problem.ts';
import { patchToml } from '../core/toml/patch.ts';
import { byHand, type Host, type HostEntry } from './hosts.ts';
import { patchJson } from './patch-json.ts';

/** What our entry is called in every host. */
const SERVER = 'zwarm';

/**
 * The text of a host's file with our entry, or for null without it; the same text where nothing is to be done. Of an
 * empty text it makes what a user may paste. @throws ZwarmError `config` where the text cannot be edited safely
 */
export function editHostText(host: Host, file: string, text: string, entry: HostEntry | null): string {
  try {
    return (host.format === 'toml' ? patchToml : patchJson)(text, [host.servers, SERVER], entry);
  } catch (error) {
    if (!(error instanceof TextProblem)) throw error;
    throw new ZwarmError('config', `${file}: ${error.message}`, byHand(host), error);
  }
}
