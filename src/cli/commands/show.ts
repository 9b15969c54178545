import { Command } from 'commander';
import { parseCount, type Verb } from '../context.ts';

interface Options {
  readonly turn?: string;
  readonly full?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  $ zwarm show @last
  $ zwarm show ab3 --turn 2 --full           also what the agent did between its messages
  $ zwarm show ab3 --json | jq -r .last_message`;

/** `zwarm show` */
export function showCommand(verb: Verb): Command {
  return new Command('show')
    .description('show a session: how it stands, and its conversation')
    .argument('<id>', 'id, name, prefix of an id, or @last')
    .option('--turn <number>', 'only this turn')
    .option('--full', 'also the commands, file changes and tool calls')
    .option('--json', 'print it as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (ref: string, options: Options) => {
      const turn = options.turn === undefined ? undefined : parseCount(options.turn, '--turn', 1);
      const manager = await verb.manager();
      const { detail, steps } = await manager.read(ref, { turn, full: options.full });
      if (options.json) return verb.printJson(detail);
      const { renderSession } = await import('../../render/session.ts');
      const style = await verb.style('stdout');
      verb.context.stdout.write(renderSession(detail, options.full ? steps : null, style));
    });
}
