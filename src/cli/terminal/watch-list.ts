import { usageError, type ZwarmError } from '../../core/errors.ts';
import type { ListOptions } from '../../manager/commands/ls.ts';
import { type ListView, renderList } from '../../render/list.ts';
import type { Verb } from '../context.ts';
import { showLive } from './live-screen.ts';

/** A list that is watched. */
interface Watched {
  /** Which sessions; asked each time. */
  filters(): ListOptions;
  /** Tells once, beforehand, what there is to know beside the list. */
  notice(listing: { readonly refused: readonly ZwarmError[] }): Promise<void>;
  /** What is shown in place of a list without rows. */
  emptyList(known: number): string;
}

/** Shows a list on the terminal as it changes. @throws ZwarmError `usage` where there is none that can be drawn on */
export async function watchList(verb: Verb, view: ListView, watched: Watched): Promise<void> {
  const { manager, context } = verb;
  const { stdout, env } = context;
  if (!stdout.takesEscapes || env['TERM'] === 'dumb') {
    const instead = "in a pipe: watch 'ZWARM_FORCE_TTY=$COLUMNS zwarm ls'; for programs: zwarm ls --json";
    throw usageError('-w draws on a terminal, and this is none that can be drawn on', instead);
  }
  let noticed = false;
  async function* lists(signal: AbortSignal) {
    for await (const listing of manager.watchList(watched.filters, signal)) {
      if (!noticed) await watched.notice(listing);
      noticed = true;
      yield listing;
    }
  }
  const code = await showLive(context, lists, async (listing) => {
    if (listing.rows.length === 0) return [watched.emptyList(listing.known)];
    const list = renderList(listing, { ...view, height: stdout.rows }, await verb.style('stdout'));
    return list.trimEnd().split('\n');
  });
  verb.exit(code);
}
