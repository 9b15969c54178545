import type { AgentEvent } from '../events.ts';
import { cutFailure } from '../session.ts';
import type { Terminal } from '../status.ts';
import { createTokenCounter, type TurnTokens } from './turn-tokens.ts';

/** The outcome of a turn: all that lists and deciding verbs need. */
export interface TurnOutcome {
  /** The first thread that the agent named: a second, forged one changes nothing. */
  readonly threadId: string | null;
  /** The model that it said it used, with that. */
  readonly model: string | null;
  /** The last assistant message of this turn, or null. */
  readonly answer: string | null;
  /** What the token reports of this turn come to. */
  readonly tokens: TurnTokens | null;
  readonly terminal: Terminal | null;
}

/** The fold of the events of one turn, without its messages and steps. */
export interface TurnFold extends TurnOutcome {
  readonly warnings: readonly string[];
  /** Lines of an unknown kind, and lines that are not an event. */
  readonly unknown: number;
  readonly malformed: number;
}

/** Folds the events of one turn as they arrive; the result is that so far. */
export interface Folder {
  add(event: AgentEvent): void;
  result(): TurnFold;
}

/** How many warnings of a turn are kept: an agent may print gigabytes of them. */
export const MOST_WARNINGS = 1000;

/** The one folder of events. Pure: its result is a function of the events alone. */
export function createFolder(): Folder {
  let threadId: string | null = null;
  let model: string | null = null;
  let answer: string | null = null;
  const tokens = createTokenCounter();
  let terminal: Terminal | null = null;
  const warned: string[] = [];
  let left = 0;
  let failure: string | null = null;
  /** A retry that nothing has followed yet. */
  let retrying: string | null = null;
  /** Whether a command may have run, and why the first one did not that could not. */
  let ran = false;
  let refused: string | null = null;
  const counts = { unknown: 0, malformed: 0 };

  return {
    add(event) {
      if (event.type === 'redundant') return;
      retrying = event.type === 'retry' ? cutFailure(event.message) : null;
      switch (event.type) {
        case 'thread_started':
          if (threadId === null) model = event.model ?? null;
          threadId ??= event.threadId;
          break;
        case 'message':
          if (event.subagent === undefined) answer = event.text;
          break;
        case 'usage':
          tokens.add(event.usage);
          break;
        case 'command':
          if (event.refused !== undefined) refused ??= cutFailure(event.refused);
          else if (event.status !== 'in_progress' && event.status !== 'declined') ran = true;
          break;
        case 'warning':
          if (warned.length < MOST_WARNINGS) warned.push(cutFailure(event.message));
          else left += 1;
          break;
        case 'turn_started':
          terminal = { kind: 'begun' };
          break;
        case 'turn_completed':
          failure = null;
          terminal = { kind: 'completed' };
          break;
        case 'turn_failed':
          failure = cutFailure(event.message);
          terminal = { kind: 'failed', message: failure };
          break;
        case 'unknown':
        case 'malformed':
          counts[event.type] += 1;
      }
    },
    result() {
      const warnings = warned.filter((message) => message !== failure);
      if (left === 1) warnings.push('1 more warning; it is kept in the log file');
      if (left > 1) warnings.push(`${left} more warnings; they are kept in the log file`);
      if (refused !== null && !ran) warnings.push(refused);
      if (retrying !== null) warnings.push(retrying);
      return { threadId, model, answer, tokens: tokens.result(), terminal, warnings, ...counts };
    },
  };
}

/** The fold of a whole list of events. */
export function foldEvents(events: Iterable<AgentEvent>): TurnFold {
  const folder = createFolder();
  for (const event of events) folder.add(event);
  return folder.result();
}
