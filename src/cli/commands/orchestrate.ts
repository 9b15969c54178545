import type { Command } from 'commander';
import { beginSession } from '../begin-session.ts';
import type { Verb } from '../context.ts';
import { addSessionOptions, type SessionOptions } from '../session-options.ts';
import { addTurnOptions, type TurnOptions } from '../turn-options.ts';

const EXAMPLES = `
The agent is given the tools of zwarm mcp: it splits the goal into tasks, starts a session for each, waits for them, looks
at what they did and reports. Its sessions work below this project, in no wider sandbox than its own; zwarm config has the
policy.

Examples:
  $ zwarm orchestrate "move all tests from jest to vitest, one package per agent"
  $ zwarm ls --tree                          it, and what it has started
  $ zwarm logs -f @last
  $ zwarm kill --tree @last                  end it with all of them`;

/** `zwarm orchestrate` */
export function orchestrateCommand(command: Command, verb: Verb): Command {
  return addTurnOptions(addSessionOptions(command), 'task')
    .addHelpText('after', EXAMPLES)
    .action((argument: string | undefined, options: SessionOptions & TurnOptions) =>
      beginSession(verb, argument, options, { orchestrates: true }),
    );
}
