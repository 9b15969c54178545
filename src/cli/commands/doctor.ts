import { EXIT_CODES } from '../../core/errors.ts';
import { defineVerb, flag } from '../define-verb.ts';

/** `zwarm doctor` */
export const doctor = defineVerb({
  name: 'doctor',
  summary: 'check what zwarm needs, and say what to do',
  options: { json: flag('--json', 'print {version, ok, checks} as JSON') },
  notes: `
Checks Node, git, the agents and their logins, the state directory with its sessions, and what killed commands and agents
have left behind. Changes nothing. The exit code is 1 if a check has failed; warnings do not count.`,
  examples: ['zwarm doctor', `zwarm doctor --json | jq '.checks[] | select(.status == "failed")'`],
  async run(verb, _args, { json }) {
    const { context } = verb;
    const checks = await verb.manager.doctor();
    const ok = checks.every(({ status }) => status !== 'failed');
    if (!ok) verb.exit(EXIT_CODES.failed);
    const version = context.version();
    if (json) return verb.printJson({ version, ok, checks });
    const { renderChecks } = await import('../../render/doctor.ts');
    const columns = context.stdout.isTTY ? context.stdout.columns : Number.POSITIVE_INFINITY;
    context.stdout.write(`zwarm ${version}\n\n`);
    context.stdout.write(renderChecks(checks, columns, await verb.style('stdout')));
  },
});
