import { USAGE_GROUPS } from '../../core/usage-groups.ts';
import { EVERYWHERE } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { duration, oneOf } from '../parsers.ts';

/** `zwarm usage` */
export const usage = defineVerb({
  name: 'usage',
  summary: 'what sessions used: tokens, and what they cost',
  options: {
    by: value('--by <group>', `${USAGE_GROUPS.join(', ')} (default: day)`, oneOf('group', USAGE_GROUPS)),
    since: value('--since <time>', 'only turns that began in the last 45s, 10m, 2h, 3d', duration),
    everywhere: EVERYWHERE,
    json: flag('--json', 'print {by, rows, total} as JSON'),
  },
  notes: `
A cost is what the agent reports; else what the prices in your own configuration say ([prices."model"], see
docs/configuration.md) for the model that was asked for; else it is unknown. Where a part is unknown, the sum is "at least".

A family is a session with all that its agent started. A session with several tags counts for each of them.

When piped: group, sessions, turns, tokens in, cached, out, and cost, separated by tabs, the total last.`,
  examples: [
    'zwarm usage',
    'zwarm usage --by model --since 7d --everywhere',
    `zwarm usage --by session --json | jq '.rows[0]'`,
  ],
  async run(verb, _args, { by, since, everywhere, json }) {
    const { manager, context } = verb;
    const sinceMs = since === undefined ? undefined : context.now() - since;
    const used = await manager.usage({ by, sinceMs, everywhere });
    if (json) return verb.printJson(used);
    const { renderUsage, usageLine } = await import('../../render/usage.ts');
    const { stdout } = context;
    if (used.rows.length === 0) return verb.hint('no turn used anything yet');
    if (stdout.isTTY) stdout.write(renderUsage(used, await verb.style('stdout')));
    else for (const row of [...used.rows, used.total]) verb.print(usageLine(row));
  },
});
