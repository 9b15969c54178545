import type { Command } from 'commander';
import type { LongDetail } from '../../core/session.ts';
import { renderJsonPieces } from '../../render/json.ts';
import { parseCount, type Verb } from '../context.ts';
import { noteSeen } from '../note-seen.ts';
import { showPage } from '../pager.ts';
import { printPieces } from '../print-pieces.ts';

interface Options {
  readonly turn?: string;
  readonly full?: boolean;
  readonly json?: boolean;
  readonly pager: boolean;
}

const EXAMPLES = `
On a terminal a page that is longer than the screen is shown with ZWARM_PAGER, PAGER or less.

Examples:
  $ zwarm show @last
  $ zwarm show ab3 --turn 2 --full           whole outputs, and what the agent thought
  $ zwarm show ab3 --json | jq -r .last_message`;

/** `zwarm show` */
export function showCommand(command: Command, verb: Verb): Command {
  return command
    .option('--turn <number>', 'only this turn')
    .option('--full', 'whole commands, outputs and tool calls, and what the agent thought')
    .option('--json', 'print it as JSON; with --full also what the agent did between its messages')
    .option('--no-pager', 'print a long page without stopping')
    .addHelpText('after', EXAMPLES)
    .action(async (ref: string, options: Options) => {
      const turn = options.turn === undefined ? undefined : parseCount(options.turn, '--turn', 1);
      const manager = await verb.manager();
      const seen = ({ id, turn: newest }: LongDetail): Promise<void> =>
        noteSeen(verb, manager, id, turn ?? newest);
      if (options.json) {
        const detail = await manager.detail(ref, { turn, full: options.full });
        await printPieces(verb.context.stdout, renderJsonPieces(detail));
        return seen(detail);
      }
      const { detail, steps } = await manager.read(ref, { turn });
      const { renderSession } = await import('../../render/session.ts');
      const page = renderSession(detail, steps, await verb.pageStyle(), options.full ?? false);
      if (options.pager) await showPage(verb.context, page);
      else verb.context.stdout.write(page);
      await seen(detail);
    });
}
