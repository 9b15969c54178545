import { renderJsonLine } from '../../render/json.ts';
import { EVERYWHERE } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { moment } from '../parsers.ts';

/** `zwarm events` */
export const events = defineVerb({
  name: 'events',
  summary: 'list what happened to sessions, in order',
  options: {
    since: value(
      '--since <time>',
      'only what happened in the last 45s, 10m, 2h, 3d, or since a time',
      moment,
    ),
    follow: flag('-f, --follow', 'go on as it happens, until Ctrl-C'),
    everywhere: EVERYWHERE,
    json: flag('--json', 'print JSON lines, also on a terminal'),
  },
  notes: `
Events are computed from the records: reading them consumes nothing, and those of deleted sessions are gone. A program that
keeps the last "at" and asks again with --since misses nothing: what happened in the minute before, or at an unknown time
(null), is printed again with the same key, ID.TURN.EVENT.

When piped: JSON lines.`,
  examples: [
    'zwarm events --since 12h',
    ['zwarm events -f --since 0s', 'from now on'],
    `zwarm events -f | jq --unbuffered -r 'select(.event == "failed").id'`,
  ],
  async run(verb, _args, { since, follow, everywhere, json }) {
    const { manager, context } = verb;
    const { stdout } = context;
    const asked = follow ? context.onEnd() : new AbortController().signal;
    const signal = AbortSignal.any([asked, stdout.closed]);
    const asLines = json || !stdout.isTTY;
    const lineOf = asLines
      ? renderJsonLine
      : (await import('../../render/event.ts')).eventLine(await verb.style('stdout'), everywhere);
    const warned = new Set<string>();
    let count = 0;
    const sinceMs = since?.(context.now());
    for await (const batch of manager.events({ sinceMs, everywhere, follow, signal })) {
      for (const { message } of batch.refused) {
        if (!warned.has(message)) verb.warn(message);
        warned.add(message);
      }
      count += batch.events.length;
      for (const event of batch.events) await stdout.send(lineOf(event));
    }
    if (asked.aborted) return verb.exit(Number(asked.reason));
    if (count === 0 && !asLines) verb.hint('nothing has happened');
  },
});
