import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import { type Dated, newestFirst, type SessionId } from '../../core/ids.ts';
import type { Query } from '../../core/search/matcher.ts';
import type { Place } from '../../core/search/places.ts';
import { parseIso } from '../../core/time.ts';
import type { ManagerContext, Session } from '../context.ts';
import { forEachSession } from '../session/each-session.ts';
import { createSearch, type Found, searchSession } from '../session/search-session.ts';
import { storesOf } from './ls.ts';

/** What to search for, and where. */
export interface SearchOptions extends Query {
  /** Where in a conversation; everywhere if left out. */
  readonly places?: readonly Place[] | undefined;
  /** Only in sessions that changed at or after this time (ms since the epoch). */
  readonly sinceMs?: number | undefined;
  /** The sessions of all projects. */
  readonly everywhere?: boolean | undefined;
  /** Is told of each session or store that cannot be searched. */
  readonly onRefused?: ((error: ZwarmError) => void) | undefined;
}

/** A line of a conversation in which something was found: the JSON contract of `docs/formats.md`. */
export interface Hit extends Found {
  readonly id: SessionId;
  readonly project: string;
}

/** The sessions to be searched, newest first. */
async function sessionsOf(
  context: ManagerContext,
  { sinceMs = 0, everywhere, onRefused }: SearchOptions,
): Promise<readonly Session[]> {
  const { stores, refused } = await storesOf(context, { everywhere });
  for (const error of refused) onRefused?.(error);
  const found: (Session & Dated)[] = [];
  for (const store of stores)
    await forEachSession(store, context.now(), ({ id }, { status, error, active_at, updated_at }) => {
      if (status === 'damaged')
        onRefused?.(new ZwarmError('damaged', `${id}: ${error?.message}`, error?.hint ?? null));
      else if ((parseIso(updated_at) ?? 0) >= sinceMs) found.push({ store, id, at: active_at ?? '' });
    });
  return found.sort(newestFirst);
}

/** What is found in sessions, the newest first, while it is found. @throws ZwarmError `usage` */
export async function* search(context: ManagerContext, options: SearchOptions): AsyncGenerator<Hit> {
  const wanted = createSearch(options, options.places);
  for (const session of await sessionsOf(context, options)) {
    const { id, store } = session;
    try {
      for await (const found of searchSession(session, wanted, context.now()))
        yield { id, project: store.projectRoot, ...found };
    } catch (error) {
      const refused = toZwarmError(error);
      // What was removed meanwhile is not missed.
      if (refused.code === 'damaged') options.onRefused?.(refused);
      else if (refused.code !== 'not_found') throw error;
    }
  }
}
