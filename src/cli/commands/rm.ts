import type { Command } from 'commander';
import type { Verb } from '../context.ts';
import { failedObject, firstExitCode, forEachRef } from '../each.ts';
import { reportErrors } from '../report-errors.ts';

interface Options {
  readonly force?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Only zwarm's own record goes; the files that the agent changed stay as they are. A running session is never removed.

Examples:
  $ zwarm rm @last
  $ zwarm rm $(zwarm ls -q --status failed)`;

/** `zwarm rm` */
export function rmCommand(command: Command, verb: Verb): Command {
  return command
    .option('--force', 'also one whose host or container is gone for good (status unknown)')
    .option('-q, --quiet', 'print ids alone (as it does anyway)')
    .option('--json', 'print an array as JSON, in the order of the arguments')
    .addHelpText('after', EXAMPLES)
    .action(async (refs: readonly string[], options: Options) => {
      const manager = await verb.manager();
      const outcomes = await forEachRef(refs, async (ref) => {
        const id = manager.resolveForEnding(ref);
        const bytes = await manager.remove(id, { force: options.force ?? false });
        if (!options.json) verb.context.stdout.write(`${id}\n`);
        return { id, removed: true, bytes };
      });
      verb.exit(firstExitCode(outcomes));
      if (!options.json) return reportErrors(verb, outcomes);
      verb.printJson(
        outcomes.map((outcome) =>
          'error' in outcome ? failedObject(outcome.ref, outcome.error) : outcome.value,
        ),
      );
    });
}
