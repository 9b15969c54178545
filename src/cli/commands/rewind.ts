import type { Command } from 'commander';
import { ZwarmError } from '../../core/errors.ts';
import { sessionObject } from '../await-answer.ts';
import { parseCount, type Verb } from '../context.ts';

interface Options {
  readonly to?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
What came after that turn is no longer part of the conversation: the agent will not know of it. Files stay as they are,
also those that it changed. Turns keep their numbers, and a rewind counts as one: it can be undone by another.

Examples:
  $ zwarm rewind ab3 --to 2       as it was right after turn 2
  $ zwarm rewind ab3 --to 0       as if nothing had been said
  $ zwarm inject ab3 "another way: …"`;

/** `zwarm rewind` */
export function rewindCommand(command: Command, verb: Verb): Command {
  return command
    .option('--to <turn>', 'the turn after which to go on; 0 for the beginning')
    .option('-q, --quiet', 'print the id and nothing else')
    .option('--json', 'print the session as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (ref: string, options: Options) => {
      if (options.to === undefined) {
        throw new ZwarmError('usage', '--to is missing', 'say where to go on: zwarm rewind ID --to 2');
      }
      const manager = await verb.manager();
      const { id, to } = await manager.rewind(ref, parseCount(options.to, '--to', 0));
      if (options.json) return verb.printJson(sessionObject(await manager.detail(id)));
      verb.context.stdout.write(`${id}\n`);
      if (options.quiet) return;
      verb.hint(
        `${to === 0 ? 'wound back to its beginning' : `wound back to turn ${to}`}; files are as they were; go on with: zwarm inject ${id} "…"`,
      );
    });
}
