import { cutText } from '../session.ts';
import { createOutcomeFolder, type Folder, type TurnOutcome } from './outcome.ts';

/** What was said in one turn: its outcome, with the answer whole, and all words that count, but none of the steps. */
export interface TurnWords extends TurnOutcome {
  readonly model: string | null;
  /** The texts of the assistant's messages, in order. */
  readonly messages: readonly string[];
  readonly warnings: readonly string[];
  readonly retries: number;
  /** Lines of a kind that we do not know, and lines that are no event at all. */
  readonly unknown: number;
  readonly malformed: number;
}

/** A fold that keeps what was said; whether steps were passed over changes nothing. Pure, as all folds. */
export function createWordsFolder(): Folder<TurnWords> {
  const outcome = createOutcomeFolder();
  const messages: string[] = [];
  const warned: string[] = [];
  let model: string | null = null;
  let failure: string | null = null;
  /** What the agent waits for, as long as nothing follows. */
  let retrying: string | null = null;
  const counts = { retry: 0, unknown: 0, malformed: 0 };

  return {
    add(event) {
      outcome.add(event);
      if (event.type === 'redundant') return;
      retrying = event.type === 'retry' ? event.message : null;
      switch (event.type) {
        case 'thread_started':
          model ??= event.model === null ? null : cutText(event.model);
          break;
        case 'message':
          messages.push(event.text);
          break;
        case 'warning':
          warned.push(event.message);
          break;
        case 'turn_completed':
          failure = null;
          break;
        case 'turn_failed':
          failure = event.message;
          break;
        case 'retry':
        case 'unknown':
        case 'malformed':
          counts[event.type] += 1;
      }
    },
    result(ended) {
      const warnings = warned.filter((message) => message !== failure);
      return {
        ...outcome.result(ended),
        model,
        answer: messages.at(-1) ?? null,
        messages: [...messages],
        warnings: retrying === null ? warnings : [...warnings, retrying],
        retries: counts.retry,
        unknown: counts.unknown,
        malformed: counts.malformed,
      };
    },
  };
}
