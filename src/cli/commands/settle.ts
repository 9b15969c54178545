import { Command } from 'commander';
import type { Verb } from '../context.ts';

/** `zwarm settle`: what the turn runner calls when its agent has ended; not for people. */
export function settleCommand(verb: Verb): Command {
  return new Command('settle').description('record how a turn ended').action(async () => {
    await (await verb.manager()).settle();
  });
}
