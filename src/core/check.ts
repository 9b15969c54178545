/** How a check came out: `note` is worth knowing, a `warning` may do harm, `failed` keeps something from working. */
export const CHECK_STATUSES = ['ok', 'note', 'warning', 'failed', 'skipped'] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];

/** What a check found, in words, and what to do about it. */
export interface Finding {
  readonly status: CheckStatus;
  readonly message: string;
  readonly hint: string | null;
}

/** A finding and what it is about: the JSON contract of `docs/formats.md`. */
export interface Check extends Finding {
  readonly name: string;
}

/** A finding. */
export function finding(status: CheckStatus, message: string, hint: string | null = null): Finding {
  return { status, message, hint };
}

/** What a program printed when it was asked something, and the exit code with which it ended. */
export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
