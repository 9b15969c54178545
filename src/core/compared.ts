import type { SessionSummary } from './session.ts';

/** What a check of the files of a session came to. */
export interface Checked {
  /** Null where it could not be made. */
  readonly passed: boolean | null;
  /** Why not; else null. */
  readonly why: string | null;
}

/** One of several sessions that are compared: the JSON contract of `docs/formats.md`. */
export interface Compared extends SessionSummary {
  /** Null where nothing was to be checked. */
  readonly check: Checked | null;
}

/** What a check came to, in a word; nothing where nothing was to be checked. */
export function checkWord({ check }: Pick<Compared, 'check'>): '' | 'passed' | 'failed' | 'not run' {
  if (check === null) return '';
  return check.passed === null ? 'not run' : check.passed ? 'passed' : 'failed';
}
