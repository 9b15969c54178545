import { join } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import { trustedDirectory, userConfigFile } from '../../core/user-places.ts';
import { putUserFile } from '../../store/files.ts';
import { requireOwnPlace } from '../../store/own-place.ts';
import { requireUser } from '../access/caller.ts';
import type { ManagerContext } from '../context.ts';

/**
 * Remembers that the user trusts a file; both are digests, as `config/trust.ts` makes them.
 * @throws ZwarmError `not_allowed`, `foreign_directory`
 */
export function trustFile(
  context: ManagerContext,
  key: { readonly name: string; readonly digest: string },
): void {
  requireUser(context);
  put(context, join(known(trustedDirectory(context.env)), key.name), `${key.digest}\n`);
}

/** Replaces the user's own configuration. @throws ZwarmError `not_allowed`, `foreign_directory` */
export function saveUserConfig(context: ManagerContext, text: string): void {
  requireUser(context);
  put(context, known(userConfigFile(context.env)), text);
}

function put(context: ManagerContext, path: string, text: string): void {
  requireOwnPlace(context, path);
  putUserFile(path, text, context.newNonce());
}

function known(path: string | null): string {
  if (path !== null) return path;
  throw new ZwarmError('usage', 'no home directory is known', 'set HOME to your home directory');
}
