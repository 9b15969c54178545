import { Command } from 'commander';
import { reportStarted } from '../await-answer.ts';
import type { Verb } from '../context.ts';
import { readTask } from '../task-input.ts';
import { addTurnOptions, type TurnOptions, waitingTime } from '../turn-options.ts';

const EXAMPLES = `
The agent goes on with the same conversation, in the same directory and sandbox.

Examples:
  $ zwarm inject @last "now update the docs too"
  $ zwarm inject ab3 --wait "which files did you change?"
  $ npm test 2>&1 | zwarm inject ab3 -`;

/** `zwarm inject` */
export function injectCommand(verb: Verb): Command {
  const command = new Command('inject')
    .description('give a session its next message')
    .argument('<id>', 'id, name, prefix of an id, or @last')
    .argument('[message]', 'what to say; - reads it from stdin');
  return addTurnOptions(command, 'message')
    .addHelpText('after', EXAMPLES)
    .action(async (ref: string, argument: string | undefined, options: TurnOptions) => {
      const timeoutMs = waitingTime(options);
      const manager = await verb.manager();
      // An id that names nothing is said before the editor opens.
      const id = manager.resolve(ref);
      const message = await readTask(verb.context, { argument, file: options.file, what: 'message' });
      const started = await manager.inject(id, message);
      await reportStarted(verb, manager, started, { ...options, timeoutMs });
    });
}
