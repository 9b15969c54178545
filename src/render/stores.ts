import { shortBytes, shortSpan } from './style.ts';

/** The sessions of a project whose directory is gone. */
export interface GoneProject {
  readonly project: string;
  readonly sessions: number;
  readonly bytes: number;
  /** When a turn was last begun, in milliseconds since the epoch; null where there is none. */
  readonly lastMs: number | null;
}

/** What is kept of a project whose directory is gone: where it was, how much, and how old. */
export function renderGone({ project, sessions, bytes, lastMs }: GoneProject, nowMs: number): string {
  const count = `${sessions} ${sessions === 1 ? 'session' : 'sessions'}, ${shortBytes(bytes)}`;
  const age = lastMs === null ? '' : `, last used ${shortSpan(nowMs - lastMs)} ago`;
  return `${project} is gone: ${count}${age}`;
}
