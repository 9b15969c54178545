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
