import type { Command } from 'commander';
import { reportStarted, sessionObject } from '../await-answer.ts';
import { parseCount, type Verb } from '../context.ts';
import { readTask } from '../task-input.ts';
import { addTurnOptions, type TurnOptions, waitingTime } from '../turn-options.ts';

interface Options extends TurnOptions {
  readonly turn?: string;
  readonly historyChars?: string;
}

const EXAMPLES = `
The fork has an id of its own and begins with a copy of the conversation. Both go on by themselves, in the same
directory, and either can be removed.

Examples:
  $ zwarm fork ab3 "try it with a cache instead"
  $ zwarm fork ab3 --turn 2            as it was right after turn 2; it waits for zwarm inject
  $ zwarm fork ab3 --wait "summarise what we have"`;

/** `zwarm fork` */
export function forkCommand(command: Command, verb: Verb): Command {
  command
    .option('--turn <number>', 'as it was right after this turn')
    .option(
      '--history-chars <number>',
      'at most so much of the conversation where the agent has to be told it',
    );
  return addTurnOptions(command, 'message')
    .addHelpText('after', EXAMPLES)
    .action(async (ref: string, argument: string | undefined, options: Options) => {
      const timeoutMs = waitingTime(options);
      const turn = options.turn === undefined ? undefined : parseCount(options.turn, '--turn', 1);
      const historyChars =
        options.historyChars === undefined
          ? undefined
          : parseCount(options.historyChars, '--history-chars', 0);
      const manager = await verb.manager();
      const from = manager.resolve(ref);
      const given = argument !== undefined || options.file !== undefined;
      const message = given
        ? await readTask(verb.context, { argument, file: options.file, what: 'message' })
        : undefined;
      const { id, turn: newest, started } = await manager.fork(from, { turn, message, historyChars });
      if (started !== null) return reportStarted(verb, manager, started, { ...options, timeoutMs });
      if (options.json) return verb.printJson(sessionObject(await manager.detail(id)));
      verb.context.stdout.write(`${id}\n`);
      if (!options.quiet)
        verb.hint(`forked after turn ${newest} of ${from}; go on with: zwarm inject ${id} "…"`);
    });
}
