import { RUN_LIMITS } from '../../core/rules/run-limits.ts';
import { argument, defineVerb } from '../define-verb.ts';
import { count, oneOf } from '../parsers.ts';

const idle = defineVerb({
  name: 'idle',
  summary: 'exit with 0 if nothing of a turn is at work, else or after an error with 1',
  async run(verb) {
    if (await verb.manager.isBusy()) verb.exit(1);
  },
});

const stop = defineVerb({
  name: 'stop',
  summary: 'stop a turn that has reached a limit',
  args: {
    name: argument('<limit>', 'which', oneOf('limit', RUN_LIMITS)),
    allowed: argument('<allowed>', 'what is allowed', count(0)),
    observed: argument('<observed>', 'what was seen', count(0)),
  },
  run: (verb, breach) => verb.manager.stopAtLimit(breach),
});

/** `zwarm limit`: what the turn watcher calls; not for people. */
export const limit = defineVerb({
  name: 'limit',
  summary: 'watch the limits of a turn',
  hidden: true,
  subcommands: [idle, stop],
});
