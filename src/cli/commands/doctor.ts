import type { Command } from 'commander';
import { EXIT_CODES } from '../../core/errors.ts';
import type { Verb } from '../context.ts';

interface Options {
  readonly json?: boolean;
}

const EXAMPLES = `
Looks at Node, git, the agents and who is logged in to them, the state directory, its sessions, and at what is left of
commands and agents that were killed. Changes nothing. The exit code is 1 if a check has failed; warnings do not count.

Examples:
  $ zwarm doctor
  $ zwarm doctor --json | jq '.checks[] | select(.status == "failed")'`;

/** `zwarm doctor` */
export function doctorCommand(command: Command, verb: Verb): Command {
  return command
    .option('--json', 'print {version, ok, checks} as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => {
      const { context } = verb;
      const checks = await (await verb.manager()).doctor();
      const ok = checks.every(({ status }) => status !== 'failed');
      if (!ok) verb.exit(EXIT_CODES.failed);
      const version = context.version();
      if (options.json) return verb.printJson({ version, ok, checks });
      const { renderChecks } = await import('../../render/doctor.ts');
      const columns = context.stdout.isTTY ? context.stdout.columns : Number.POSITIVE_INFINITY;
      context.stdout.write(`zwarm ${version}\n\n`);
      context.stdout.write(renderChecks(checks, columns, await verb.style('stdout')));
    });
}
