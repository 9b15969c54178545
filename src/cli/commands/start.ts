import type { Command } from 'commander';
import { beginSession } from '../begin-session.ts';
import type { Verb } from '../context.ts';
import { addSessionOptions, type SessionOptions } from '../session-options.ts';
import { addTurnOptions, type TurnOptions } from '../turn-options.ts';

const EXAMPLES = `
The task is the argument, the text on stdin (- or a pipe), a file (-F), or what you write in your editor.

Examples:
  $ zwarm start "fix the failing tests"
  $ zwarm start -s read-only -C ~/src/app "what does this project do?"
  $ git diff | zwarm start --wait -          the answer on stdout
  $ zwarm start -F task.md --name docs
  $ zwarm start -- "--dry-run does nothing: find out why"`;

/** `zwarm start` */
export function startCommand(command: Command, verb: Verb): Command {
  return addTurnOptions(addSessionOptions(command), 'task')
    .addHelpText('after', EXAMPLES)
    .action((argument: string | undefined, options: SessionOptions & TurnOptions) =>
      beginSession(verb, argument, options),
    );
}
