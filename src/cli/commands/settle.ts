import type { Command } from 'commander';
import type { Verb } from '../context.ts';

/** `zwarm settle`: what the turn runner calls when its agent has ended; not for people. */
export function settleCommand(command: Command, verb: Verb): Command {
  return command.action(async () => {
    await (await verb.manager()).settle();
  });
}
