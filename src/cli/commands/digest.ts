import { EVERYWHERE } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { moment } from '../parsers.ts';

const NIGHT_MS = 12 * 3_600_000;

/** `zwarm digest` */
export const digest = defineVerb({
  name: 'digest',
  summary: 'show what happened, what is done, and what needs you',
  options: {
    since: value(
      '--since <time>',
      'only what ended in the last 45s, 10m, 2h, 3d, or since a time (default: 12h)',
      moment,
    ),
    everywhere: EVERYWHERE,
    md: flag('--md', 'as Markdown, for a mail or a page', ['json']),
    json: flag('--json', 'print one object as JSON'),
  },
  notes: `
Sessions that run or wait are listed however old they are. A session needs you if it does not continue by itself and you
have not looked at it: it waits for something that will not come, its status cannot be determined from here, or it failed
for a reason that a retry does not fix.`,
  examples: [
    'zwarm digest',
    ['zwarm digest --since 3d --everywhere', 'after a weekend, all projects'],
    ['zwarm digest --md | mail -s zwarm me', 'into a mail'],
    `zwarm digest --json | jq -r '.needs_you[].id'`,
  ],
  async run(verb, _args, { since, everywhere, md, json }) {
    const { manager, context } = verb;
    const nowMs = context.now();
    const sinceMs = since?.(nowMs) ?? nowMs - NIGHT_MS;
    const { refused, ...found } = await manager.digest({ sinceMs, everywhere });
    for (const { message } of refused) verb.warn(message);
    if (json) return verb.printJson(found);
    const { digestMarkdown, renderDigest } = await import('../../render/digest.ts');
    const view = { everywhere, home: context.env['HOME'] ?? null };
    context.stdout.write(
      md ? digestMarkdown(found, view) : renderDigest(found, view, await verb.style('stdout')),
    );
  },
});
