import { join } from 'node:path';
import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import type { SessionRecord } from '../core/session.ts';
import { trustedDirectory, userConfigFile } from '../core/user-places.ts';
import { isSealed, reseal } from '../store/seals.ts';
import { readSessionRecord } from '../store/sessions.ts';
import { putUserFile } from '../store/user-files.ts';
import { requireUser } from './caller.ts';
import type { ManagerContext, Store } from './context.ts';
import { orDamaged } from './read.ts';

/*
 * What only the user may do: say what is allowed, and whom to believe. All of it is kept where no sandboxed agent can
 * write.
 */

/** A record as it was shown to the user. */
export interface ShownRecord {
  readonly id: SessionId;
  readonly record: SessionRecord;
  readonly bytes: Uint8Array;
  /** Whether it is the one that was sealed. */
  readonly sealed: boolean;
}

/** What a session would run, for the user to look at. @throws ZwarmError `not_found`, `damaged` */
export async function showRecord(store: Store, id: SessionId): Promise<ShownRecord> {
  return orDamaged(store, id, async () => {
    const { record, bytes } = readSessionRecord(store.root, id);
    return { id, record, bytes, sealed: isSealed(store.sealsDir, store.root, id, bytes) };
  });
}

/** Seals a session's record as the user has seen it. @throws ZwarmError `not_allowed` */
export function trustRecord(context: ManagerContext, { root, sealsDir }: Store, shown: ShownRecord): void {
  requireUser(context);
  reseal(sealsDir, root, shown.id, shown.bytes, shown.record.source, context.newNonce());
}

/** Remembers that the user trusts a file; both words are digests, as `config/trust.ts` makes them. @throws ZwarmError `not_allowed` */
export function trustFile(
  context: ManagerContext,
  mark: { readonly name: string; readonly digest: string },
): void {
  requireUser(context);
  const directory = known(trustedDirectory(context.env));
  putUserFile(join(directory, mark.name), `${mark.digest}\n`, context.newNonce());
}

/** Puts a text in the place of the user's own configuration. @throws ZwarmError `not_allowed` */
export function saveUserConfig(context: ManagerContext, text: string): void {
  requireUser(context);
  putUserFile(known(userConfigFile(context.env)), text, context.newNonce());
}

function known(path: string | null): string {
  if (path !== null) return path;
  throw new ZwarmError('usage', 'no home directory is known', 'set HOME to your home directory');
}
