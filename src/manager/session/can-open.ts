import { findAgent } from '../../agents/registry.ts';
import type { SessionSummary } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';

/** Whether a session may be opened in its agent's own program, as far as its row tells. */
export function canOpen({ agent, thread_id: thread, status }: SessionSummary): boolean {
  return thread !== null && isFinal(status) && (findAgent(agent ?? '')?.interactive ?? null) !== null;
}
