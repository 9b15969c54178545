import { PLACES } from '../../core/search/places.ts';
import type { SearchOptions } from '../../manager/commands/search.ts';
import { renderJsonList } from '../../render/json.ts';
import { EVERYWHERE } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { argument, defineVerb, flag, value } from '../define-verb.ts';
import { count, duration, someOf, text } from '../parsers.ts';

/** The first hits, or all of them while somebody reads them. */
async function* firstHits({ manager, context }: Verb, options: SearchOptions, limit: number) {
  let shown = 0;
  for await (const hit of manager.search(options)) {
    yield hit;
    shown += 1;
    if (shown === limit || context.stdout.closed.aborted) return;
  }
}

/** `zwarm search` */
export const search = defineVerb({
  name: 'search',
  summary: 'find lines in what was said, run, printed and changed',
  args: { words: argument('[word...]', 'words that a line must contain, in any order', text()) },
  options: {
    regex: value('-e, --regex <regex>', 'and what it must match: a regular expression of JavaScript', text()),
    places: value(
      '--in <place>',
      `only there, separated by commas: ${PLACES.join(', ')}`,
      someOf('place', PLACES),
    ),
    since: value('--since <time>', 'only sessions that changed in the last 45s, 10m, 2h, 3d', duration),
    everywhere: EVERYWHERE,
    limit: value('-n, --limit <count>', 'stop after COUNT lines', count(1)),
    json: flag('--json', 'print an array of hits as JSON'),
  },
  notes: `
A word or expression without capitals ignores case; a phrase in quotes is one word.

prompt is what you said, answer what the agent said; command the command lines and what other tools were given, output what
either returned; file the names of changed files, and the lines of their diffs. Turns that were rewound are searched, too.

The newest session comes first, and in it the newest turn; the lines of a turn keep their order. To read around a line:
zwarm show ID --turn N --full.

When piped: id, turn, place and line, cut at 500 characters around what was found, separated by tabs; with --everywhere the
project behind them.`,
  examples: [
    'zwarm search "connection refused"',
    ['zwarm search --in command git push', 'which sessions pushed?'],
    ['zwarm search -e "TODO|FIXME" --in file --since 2d', 'in what was changed'],
    `zwarm search --json -n 1 migration | jq -r '.[0].id'`,
  ],
  async run(verb, { words }, { regex, places, since, everywhere, limit, json }) {
    const { context } = verb;
    const { stdout } = context;
    const sinceMs = since === undefined ? undefined : context.now() - since;
    const onRefused: SearchOptions['onRefused'] = ({ message }) => verb.warn(message);
    const wanted = { words, regex, places, sinceMs, everywhere, onRefused };
    const hits = firstHits(verb, wanted, limit ?? Number.POSITIVE_INFINITY);
    if (json) {
      for await (const piece of renderJsonList(hits)) await stdout.send(piece);
      return;
    }
    const { renderHit, renderHitRow } = await import('../../render/hit.ts');
    const style = await verb.style('stdout');
    let isEmpty = true;
    for await (const hit of hits) {
      isEmpty = false;
      await stdout.send(stdout.isTTY ? renderHit(hit, everywhere, style) : renderHitRow(hit, everywhere));
    }
    if (isEmpty) verb.hint('nothing matches');
  },
});
