import type { TurnKind } from '../session.ts';
import type { TurnStatus } from '../status.ts';

interface Turn {
  readonly request: { readonly kind: TurnKind };
  /** Null while no runner has shown itself. */
  readonly runner: object | null;
  readonly verdict: { readonly status: TurnStatus };
}

/** Whether no older turn can speak for the session: turns run one after the other. */
export function endsSearch({ request, runner, verdict: { status } }: Turn): boolean {
  return request.kind !== 'rewind' && (runner !== null || status === 'running' || status === 'unknown');
}

/**
 * The turn that speaks for a session: the one that runs, else the newest that is not a marker; null where all are.
 * `behind` are the turns claimed behind a running one and not launched yet, oldest first.
 * @param newestFirst all turns, or no more than those up to the first one that ends the search
 */
export function speakingTurn<T extends Turn>(
  newestFirst: readonly T[],
): { readonly current: T; readonly behind: readonly T[] } | null {
  const last = newestFirst.findIndex(endsSearch);
  const prompts = newestFirst
    .slice(0, last < 0 ? undefined : last + 1)
    .filter(({ request }) => request.kind !== 'rewind');
  const oldest = prompts.at(-1);
  if (oldest?.verdict.status === 'running' || oldest?.verdict.status === 'unknown') {
    const behind = prompts.filter(({ verdict }) => verdict.status === 'pending');
    return { current: oldest, behind: behind.reverse() };
  }
  const [newest] = prompts;
  return newest === undefined ? null : { current: newest, behind: [] };
}
