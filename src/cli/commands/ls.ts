import type { ZwarmError } from '../../core/errors.ts';
import { familiesOf } from '../../core/rules/family.ts';
import type { SessionSummary } from '../../core/session.ts';
import { SESSION_STATUSES } from '../../core/status.ts';
import type { ListOptions } from '../../manager/commands/ls.ts';
import type { SessionManager } from '../../manager/session-manager.ts';
import { QUIET_IDS, TAGS } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { count, duration, oneOf, someOf, text } from '../parsers.ts';

/** What is to be told of a list beside its rows. */
interface Noticed {
  readonly rows: readonly unknown[];
  /** Why stores of other projects cannot be read. */
  readonly refused: readonly ZwarmError[];
  /** How many sessions there are. */
  readonly known: number;
}

/** Tells of sessions that are kept where no list shows them. */
async function printNotices(
  verb: Verb,
  refused: readonly ZwarmError[],
  { everywhere, json }: { readonly everywhere: boolean; readonly json: boolean },
): Promise<void> {
  const { manager, context } = verb;
  for (const { message } of refused) verb.warn(message);
  if (!everywhere) {
    for (const notice of await manager.projectNotices()) verb.warn(notice);
    return;
  }
  // Programs ask for what there is.
  const gone = json ? [] : await manager.listGone();
  if (gone.length === 0) return;
  const { renderAllGone } = await import('../../render/row.ts');
  const what = renderAllGone(gone, context.now());
  verb.warn(`${what}; if it was moved, there: zwarm relocate; to delete: zwarm clean --gone`);
}

/** The lines of a list for programs. Of ten thousand rows, only a tree needs more in memory than their lines. */
async function linesFor(manager: SessionManager, filters: ListOptions, tree: boolean) {
  const { renderRow } = await import('../../render/row.ts');
  const lineOf = (row: SessionSummary): string =>
    filters.exactly ? `${row.id}\n` : renderRow(row, filters.everywhere);
  if (!tree) return manager.listing(filters, lineOf);
  const { rows, ...listing } = await manager.listing(filters, (row) => row);
  return { ...listing, rows: familiesOf(rows).map(({ row }) => lineOf(row)) };
}

const emptyList = (known: number): string =>
  known === 0
    ? 'no sessions; start one: zwarm start "task"'
    : `none of ${known} ${known === 1 ? 'matches' : 'match'}`;

/** `zwarm ls` */
export const ls = defineVerb({
  name: 'ls',
  summary: 'list sessions: all that run, and the newest 20',
  aliases: ['list', 'ps', 'l'],
  options: {
    all: flag('-a, --all', 'all sessions'),
    limit: value('-n, --limit <count>', 'only the newest COUNT', count(1)),
    statuses: value(
      '--status <status>',
      `only these, separated by commas: ${SESSION_STATUSES.join(', ')}`,
      someOf('status', SESSION_STATUSES),
    ),
    tags: TAGS,
    here: flag('--here', 'only sessions that work in this directory or below it'),
    since: value('--since <time>', 'only sessions that changed in the last 45s, 10m, 2h, 3d', duration),
    grep: value(
      '--grep <text>',
      'only sessions with this text in a line of their messages, answers or name; capitals match only themselves',
      text(),
    ),
    source: value(
      '--source <who>',
      'only those started by you, mine (whoever asks, and what theirs started), orch (an orchestrator), orch:ID, mcp (a language model), mcp:CLIENT, lib (a program) or lib:CLIENT, separated by commas',
      text({ words: ['you', 'mine', 'orch', 'mcp', 'lib'], several: true }),
    ),
    attention: flag('--attention', 'only sessions that have ended and that you have not looked at since'),
    sort: value(
      '--sort <by>',
      'created or updated (default: updated)',
      oneOf('order', ['created', 'updated']),
    ),
    everywhere: flag('--everywhere', 'the sessions of all projects; every command takes their ids'),
    tree: flag('--tree', 'show what an agent started below the session of that agent'),
    cost: flag('--cost', 'with a column for what they cost, in US dollars'),
    time: flag('--time', 'absolute times instead of ages'),
    watch: flag('-w, --watch', 'redraw the list in place as it changes, until Ctrl-C', ['json', 'quiet']),
    quiet: QUIET_IDS,
    json: flag('--json', 'print an array of sessions as JSON'),
  },
  notes: `
The session with the last activity comes first: its newest message, start or end. Damaged sessions are always listed, except
with -q.

AGO tells how long a session has been running, or when it ended; NOW what a running one is doing, why a failed one failed,
and what one that completed has answered. On a narrow terminal NOW comes before TASK. TASK is the newest message, after the
title of the session where the message has few words.

When piped: id, status, turn, agent, time of the last change and task, separated by tabs, without a header; with
--everywhere the project behind them.`,
  examples: [
    'zwarm ls',
    'zwarm ls --status failed,lost --since 2h',
    ['zwarm ls --attention', 'what has ended since you last looked'],
    ['zwarm ls --everywhere --status running', 'what runs, in all projects'],
    ['zwarm ls --tree --source you,orch', 'families of agents that start agents'],
    "zwarm ls --all --json | jq '[.[].token_usage.total_tokens] | add'",
    'zwarm kill $(zwarm ls -q --status running --here)',
  ],
  async run(verb, _args, { since, tree, quiet, json, time, cost, watch, ...wanted }) {
    const { manager, context } = verb;
    const { stdout } = context;
    const filtersNow = () => {
      const sinceMs = since === undefined ? undefined : context.now() - since;
      return { ...wanted, sinceMs, exactly: quiet, countsLeft: json };
    };
    const view = { tree, time, cost, home: context.env['HOME'] ?? null, everywhere: wanted.everywhere };
    if (watch) {
      const { watchList } = await import('../terminal/watch-list.ts');
      const notice = ({ refused }: Pick<Noticed, 'refused'>) =>
        printNotices(verb, refused, { ...wanted, json });
      return watchList(verb, view, { filters: filtersNow, notice, emptyList });
    }
    const filters = filtersNow();
    const notice = async ({ rows, refused, known }: Noticed): Promise<void> => {
      if (!quiet) await printNotices(verb, refused, { ...wanted, json });
      if (rows.length > 0 || json) return;
      // Where only stdout is a terminal, or is to look like one, an empty screen would say nothing.
      if (stdout.isTTY) context.stderr.write(`${emptyList(known)}\n`);
      else verb.hint(emptyList(known));
    };
    if (!json && (quiet || !stdout.isTTY)) {
      const listing = await linesFor(manager, filters, tree);
      await notice(listing);
      return stdout.write(listing.rows.join(''));
    }
    const listing = await manager.listing(filters, (row) => row);
    await notice(listing);
    const { rows } = listing;
    if (json) return verb.printJson(tree ? familiesOf(rows).map(({ row }) => row) : rows);
    if (rows.length === 0) return;
    const { renderList } = await import('../../render/list.ts');
    stdout.write(renderList(listing, view, await verb.style('stdout')));
  },
});
