import { cutFailure, cutText } from '../session.ts';
import { createOutcomeFolder, type Folder, type TurnOutcome } from './outcome.ts';

/** How a turn went, in words: its outcome, with the answer whole, and what was said beside the messages. */
export interface TurnReport extends TurnOutcome {
  readonly model: string | null;
  readonly warnings: readonly string[];
  readonly retries: number;
  /** Lines of a kind that we do not know, and lines that are no event at all. */
  readonly unknown: number;
  readonly malformed: number;
}

/** What was said in one turn: all words that count, but none of the steps. */
export interface TurnWords extends TurnReport {
  /** The texts of the assistant's messages, in order; they may be read anew each time. */
  readonly messages: Iterable<string>;
}

/** So many warnings of a turn are told, each no longer than a failure: an agent may print gigabytes of them. */
const MOST_WARNINGS = 1000;

function telling(more: number): readonly string[] {
  if (more === 0) return [];
  return more === 1
    ? ['1 more warning; it is kept in the log file']
    : [`${more} more warnings; they are kept in the log file`];
}

/** A fold of all but the messages and the steps; whether steps were passed over changes nothing. Pure, as all folds. */
export function createReportFolder(): Folder<TurnReport> {
  const outcome = createOutcomeFolder();
  const warned: string[] = [];
  let untold = 0;
  let model: string | null = null;
  let answer: string | null = null;
  let failure: string | null = null;
  /** What the agent waits for, as long as nothing follows. */
  let retrying: string | null = null;
  const counts = { retry: 0, unknown: 0, malformed: 0 };

  return {
    add(event) {
      outcome.add(event);
      if (event.type === 'redundant') return;
      retrying = event.type === 'retry' ? cutFailure(event.message) : null;
      switch (event.type) {
        case 'thread_started':
          model ??= event.model === null ? null : cutText(event.model);
          break;
        case 'message':
          answer = event.text;
          break;
        case 'warning':
          if (warned.length < MOST_WARNINGS) warned.push(cutFailure(event.message));
          else untold += 1;
          break;
        case 'turn_completed':
          failure = null;
          break;
        case 'turn_failed':
          failure = cutFailure(event.message);
          break;
        case 'retry':
        case 'unknown':
        case 'malformed':
          counts[event.type] += 1;
      }
    },
    result(ended) {
      const warnings = [...warned.filter((message) => message !== failure), ...telling(untold)];
      return {
        ...outcome.result(ended),
        model,
        answer,
        warnings: retrying === null ? warnings : [...warnings, retrying],
        retries: counts.retry,
        unknown: counts.unknown,
        malformed: counts.malformed,
      };
    },
  };
}
