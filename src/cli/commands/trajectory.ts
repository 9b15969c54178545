import type { Command } from 'commander';
import { trajectoryOf } from '../../core/conversation/trajectory.ts';
import { parseCount, type Verb } from '../context.ts';

interface Options {
  readonly turn?: string;
  readonly full?: boolean;
  readonly json?: boolean;
}

/** Where no terminal sets a width, a line is as long as the texts of a list. */
const PIPED_WIDTH = 500;

const EXAMPLES = `
The numbers go through all turns. A step that ended well has no word at its end; another one its status or exit code.

Examples:
  $ zwarm trajectory @last
  $ zwarm trajectory ab3 --turn 2 --full     also all that the steps hold
  $ zwarm trajectory ab3 --json | jq -r '.[] | select(.type == "command") | .command'`;

/** `zwarm trajectory` */
export function trajectoryCommand(command: Command, verb: Verb): Command {
  return command
    .option('--turn <number>', 'only this turn')
    .option('--full', 'with everything that belongs to a step, such as the output of a command')
    .option('--json', 'print an array of steps as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (ref: string, options: Options) => {
      const turn = options.turn === undefined ? undefined : parseCount(options.turn, '--turn', 1);
      const manager = await verb.manager();
      if (options.json) return verb.printJson(await manager.steps(ref, { turn }));
      const { detail, steps: ofTurns } = await manager.read(ref, { turn });
      const { renderSteps, renderSummary } = await import('../../render/trajectory.ts');
      const steps = trajectoryOf(ofTurns).filter((step) => turn === undefined || step.turn === turn);
      const { stdout } = verb.context;
      const style = await verb.pageStyle();
      stdout.write(
        options.full
          ? renderSteps(detail.turns, steps, style, detail.working_dir)
          : renderSummary(detail.turns, steps, stdout.isTTY ? style : { ...style, width: PIPED_WIDTH }),
      );
    });
}
