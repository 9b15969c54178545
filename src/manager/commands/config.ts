import { join } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import { trustedDirectory, userConfigFile } from '../../core/user-places.ts';
import { putUserFile } from '../../store/files.ts';
import { requireUser } from '../access/caller.ts';
import type { ManagerContext } from '../context.ts';

/** Remembers that the user trusts a file; both are digests, as `config/trust.ts` makes them. @throws ZwarmError `not_allowed` */
export function trustFile(
  context: ManagerContext,
  mark: { readonly name: string; readonly digest: string },
): void {
  requireUser(context);
  const directory = known(trustedDirectory(context.env));
  putUserFile(join(directory, mark.name), `${mark.digest}\n`, context.newNonce());
}

/** Replaces the user's own configuration. @throws ZwarmError `not_allowed` */
export function saveUserConfig(context: ManagerContext, text: string): void {
  requireUser(context);
  putUserFile(known(userConfigFile(context.env)), text, context.newNonce());
}

function known(path: string | null): string {
  if (path !== null) return path;
  throw new ZwarmError('usage', 'no home directory is known', 'set HOME to your home directory');
}
