import type { SessionSummary } from '../session.ts';
import { isFinal } from '../status.ts';
import { parseIso } from '../time.ts';
import { holdsAccount } from './hold.ts';

/** What a digest says of a session; first what a person has to do something about. */
export const DIGEST_SECTIONS = ['needs_you', 'done', 'failed', 'stopped', 'running', 'waiting'] as const;
export type DigestSection = (typeof DIGEST_SECTIONS)[number];

/** Whether it waits in vain: `isWoken` says whether something wakes what waits for a time. */
function isStuck({ pending }: SessionSummary, isWoken: boolean): boolean {
  switch (pending?.reason) {
    case 'failed_dependency':
    // It may begin, and nothing begins it.
    case 'queue':
      return true;
    case 'hold':
      return pending.not_before === null || !isWoken;
    default:
      return false;
  }
}

/** Where a session stands in a digest of what happened since a time; null where nothing did. */
export function digestSection(
  row: SessionSummary,
  { sinceMs, isWoken }: { readonly sinceMs: number; readonly isWoken: boolean },
): DigestSection | null {
  const { status, error, needs_attention, updated_at } = row;
  if (status === 'running') return status;
  if (status === 'pending') return isStuck(row, isWoken) ? 'needs_you' : 'waiting';
  // It waits for a message, and has no news.
  if (status === 'ready') return null;
  if (!isFinal(status)) return 'needs_you';
  if ((parseIso(updated_at) ?? sinceMs) < sinceMs) return null;
  if (status === 'completed') return 'done';
  if (status === 'killed') return 'stopped';
  return needs_attention && !error?.retryable ? 'needs_you' : 'failed';
}

/** An agent whose account was spent, logged out or out of reach, and what that kept waiting. */
export interface Slept {
  readonly agent: string;
  readonly message: string;
  /** When the first of these failed by it; null where none of them did. */
  readonly since: string | null;
  /** Until then at least; null where no time is known. */
  readonly until: string | null;
  /** The sessions that failed by it, and those that wait for it now. */
  readonly failed: readonly string[];
  readonly waiting: readonly string[];
}

/** What slept, by agent. */
export function sleptOf(rows: readonly SessionSummary[]): readonly Slept[] {
  const failed = rows.filter(({ status, error }) => status === 'failed' && holdsAccount(error?.code ?? ''));
  const waiting = rows.filter(({ pending }) => pending?.reason === 'hold');
  const agents = [...new Set([...failed, ...waiting].flatMap(({ agent }) => agent ?? []))];
  return agents.map((agent) => {
    const ofAgent = (row: SessionSummary): boolean => row.agent === agent;
    const [hit, held] = [failed.filter(ofAgent), waiting.filter(ofAgent)];
    const untils = [
      ...hit.map(({ error }) => error?.retry_at),
      ...held.map((row) => row.pending?.not_before),
    ];
    return {
      agent,
      message: hit[0]?.error?.message ?? held[0]?.pending?.detail ?? '',
      since: hit.flatMap(({ ended_at }) => ended_at ?? []).sort()[0] ?? null,
      until:
        untils
          .flatMap((until) => until ?? [])
          .sort()
          .at(-1) ?? null,
      failed: hit.map(({ id }) => id),
      waiting: held.map(({ id }) => id),
    };
  });
}
