import type { Command } from 'commander';
import { ZwarmError } from '../core/errors.ts';
import { parseDuration } from '../core/time.ts';

/** The options of the verbs that begin a turn: where its text comes from, and how to report it. */
export interface TurnOptions {
  readonly file?: string;
  readonly wait?: boolean;
  readonly timeout?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/** Adds these options to a verb, whose text is a `what`. */
export function addTurnOptions(command: Command, what: 'task' | 'message'): Command {
  return command
    .option('-F, --file <file>', `read the ${what} from a file`)
    .option('-w, --wait', 'wait for the end and print the answer')
    .option(
      '--timeout <time>',
      'with --wait: stop waiting after 45s, 10m, 2h (exit code 124; the agent runs on)',
    )
    .option('-q, --quiet', 'print the id and nothing else')
    .option('--json', 'print the session as JSON');
}

/** `--timeout` as milliseconds; it makes sense only where something is waited for. @throws ZwarmError `usage` */
export function waitingTime({ wait, timeout }: TurnOptions): number | undefined {
  if (timeout === undefined) return undefined;
  if (wait) return parseDuration(timeout, '--timeout');
  throw new ZwarmError('usage', '--timeout needs --wait', 'add --wait, or leave --timeout out');
}
