import type { Command } from 'commander';
import { reportStarted } from '../await-answer.ts';
import { parseCount, type Verb } from '../context.ts';
import { withTask } from '../task-input.ts';
import { addTurnOptions, type TurnOptions, waitingTime } from '../turn-options.ts';

interface Options extends TurnOptions {
  readonly interrupt?: boolean;
  readonly force?: boolean;
  readonly historyChars?: string;
}

const EXAMPLES = `
The agent goes on with the same conversation, in the same directory and sandbox.

It goes on in the agent's own thread. Where that is gone, or is not the conversation any more (after a rewind, a
compaction or a fork), or where the agent never named one, a new thread is told what was before.

Examples:
  $ zwarm inject @last "now update the docs too"
  $ zwarm inject ab3 --wait "which files did you change?"
  $ zwarm inject ab3 --interrupt "stop, use the other database"
  $ npm test 2>&1 | zwarm inject ab3 -`;

/** `zwarm inject` */
export function injectCommand(command: Command, verb: Verb): Command {
  command
    .option('--interrupt', 'stop the running turn first')
    .option('--force', 'also where its host or container is gone for good (status unknown)')
    .option(
      '--history-chars <number>',
      'at most so much of the conversation where the agent has to be told it (100000)',
    );
  return addTurnOptions(command, 'message')
    .addHelpText('after', EXAMPLES)
    .action(async (ref: string, argument: string | undefined, options: Options) => {
      const timeoutMs = waitingTime(options);
      const historyChars =
        options.historyChars === undefined
          ? undefined
          : parseCount(options.historyChars, '--history-chars', 0);
      const manager = await verb.manager();
      const id = manager.resolve(ref);
      const next = { interrupt: options.interrupt, force: options.force, historyChars };
      const source = { argument, file: options.file, what: 'message' } as const;
      const started = await withTask(verb.context, source, {
        check: () => manager.checkInject(id, next),
        use: (message) => manager.inject(id, message, next),
      });
      await reportStarted(verb, manager, started, { ...options, timeoutMs });
    });
}
