/** How full an agent's context is, from its own files. */
export interface ContextFill {
  /** Tokens of its last request, the answer included. */
  readonly tokens: number;
  /** Tokens that fit; null when it is not known. */
  readonly window: number | null;
}

/** Whether the usage is above a share of the window; false where either is not known. */
export function shouldCompact(usage: number | null, window: number | null, threshold: number): boolean {
  if (usage === null || window === null || window <= 0 || !(threshold > 0)) return false;
  return usage > threshold * window;
}

/** The prompt of a compaction: the conversation goes on from its answer alone. */
export const COMPACT_PROMPT = `Write a summary of our whole conversation so far. It will take the place of the conversation: whoever goes on with the work will see the summary and nothing else. Do not use any tools and do not change anything now; answer with the summary alone, under these headings:

## What the user asked for
Every request of the user in its order, with all conditions and corrections, and whether it was fulfilled.

## Work done
What was changed, created, run or found out, with the names of the files and the commands that matter.

## Current state
How things stand now: what works, what fails and with which error, what is half done.

## Decisions
What was decided and why, also what was tried and given up.

## Next steps
What is still to be done, in order, beginning with what was being worked on.
`;
