import { shortBytes } from '../core/bytes.ts';
import { firstFew, messageOfRow, type SessionSummary } from '../core/session.ts';
import { shellWord } from '../core/shell-word.ts';
import { shortSpan } from '../core/time.ts';
import { safeLine } from './text/safe-text.ts';
import { counted } from './text/units.ts';

/* Apart from `list.ts`: what measures the columns of a terminal takes longer to load than a thousand rows. */

/** A row for pipes: id, status, turn, agent, time of the last change, newest message and, if asked for, project, between tabs. */
export function renderRow(row: SessionSummary, withProject = false): string {
  const { id, status, turn, agent, updated_at } = row;
  const last = `${safeLine(messageOfRow(row))}${withProject ? `\t${safeLine(row.project)}` : ''}\n`;
  // Joined, not added up: that would keep every part in memory.
  return [id, status, turn ?? '', safeLine(agent ?? ''), safeLine(updated_at ?? ''), last].join('\t');
}

/** What a start would do, between tabs: where, the branch, the commit at which that begins, and the command. */
export function renderStartPlan({ working_dir, worktree, command }: Planned): string {
  const words = [working_dir, worktree?.branch ?? '', worktree?.base ?? '', command.map(shellWord).join(' ')];
  return words.map((word) => safeLine(word)).join('\t');
}

interface Planned {
  readonly working_dir: string;
  readonly worktree: SessionSummary['worktree'];
  readonly command: readonly string[];
}

interface GoneProject {
  readonly project: string;
  readonly sessions: number;
  readonly bytes: number;
  /** When a turn was last begun, or null. */
  readonly lastMs: number | null;
}

/** What is kept of a project whose directory is gone: where it was, how much, and how old. */
export function renderGone({ project, sessions, bytes, lastMs }: GoneProject, nowMs: number): string {
  const age = lastMs === null ? '' : `, last used ${shortSpan(nowMs - lastMs)} ago`;
  return `${project} is gone: ${counted(sessions, 'session')}, ${shortBytes(bytes)}${age}`;
}

/** The same of several on one line: which, and how much of all of them. */
export function renderAllGone(gone: readonly GoneProject[], nowMs: number): string {
  const [one] = gone;
  if (one !== undefined && gone.length === 1) return renderGone(one, nowMs);
  const [sessions, bytes] = [sum(gone.map((one) => one.sessions)), sum(gone.map((one) => one.bytes))];
  const which = firstFew(gone.map(({ project }) => project));
  return `${gone.length} projects are gone: ${which}; ${counted(sessions, 'session')}, ${shortBytes(bytes)}`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
