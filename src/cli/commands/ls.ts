import { familiesOf } from '../../core/rules/family.ts';
import { SESSION_STATUSES, type SessionSummary } from '../../core/session.ts';
import type { ListOptions } from '../../manager/commands/ls.ts';
import type { SessionManager } from '../../manager/session-manager.ts';
import { QUIET_IDS } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { count, duration, oneOf, someOf } from '../parsers.ts';

async function printNotices(verb: Verb, everywhere: boolean): Promise<void> {
  const { manager, context } = verb;
  const gone = everywhere ? await manager.listGone() : [];
  for (const notice of await manager.projectNotices(everywhere)) verb.warn(notice);
  if (gone.length === 0) return;
  const { renderGone } = await import('../../render/row.ts');
  for (const one of gone) verb.warn(`${renderGone(one, context.now())}; to delete: zwarm clean --gone`);
}

/** The lines of a list for programs. Of ten thousand rows, only a tree needs more in memory than their lines. */
async function linesFor(manager: SessionManager, filters: ListOptions, tree: boolean) {
  const { renderRow } = await import('../../render/row.ts');
  const lineOf = (row: SessionSummary): string =>
    filters.exactly ? `${row.id}\n` : renderRow(row, filters.everywhere);
  if (!tree) return manager.listAs(filters, lineOf);
  return familiesOf(await manager.list(filters)).map(({ row }) => lineOf(row));
}

/** `zwarm ls` */
export const ls = defineVerb({
  name: 'ls',
  summary: 'list sessions, newest first: all running ones, and the newest 20',
  aliases: ['list', 'ps'],
  options: {
    all: flag('-a, --all', 'all sessions'),
    limit: value('-n, --limit <count>', 'only the newest COUNT', count(1)),
    statuses: value(
      '--status <status>',
      `only these, separated by commas: ${SESSION_STATUSES.join(', ')}`,
      someOf('status', SESSION_STATUSES),
    ),
    here: flag('--here', 'only sessions that work in this directory'),
    since: value('--since <time>', 'only sessions that changed in the last 45s, 10m, 2h, 3d', duration),
    grep: value('--grep <text>', 'only sessions with this text in the task, the name or the last message'),
    source: value(
      '--source <who>',
      'only those started by you, orch, orch:ID, mcp or mcp:CLIENT, separated by commas',
    ),
    attention: flag('--attention', 'only sessions that have ended and that you have not looked at since'),
    sort: value(
      '--sort <by>',
      'created or updated (default: created)',
      oneOf('order', ['created', 'updated']),
    ),
    everywhere: flag('--everywhere', 'the sessions of all projects'),
    tree: flag('--tree', 'show what an agent started below the session of that agent'),
    quiet: QUIET_IDS,
    json: flag('--json', 'print an array of sessions as JSON'),
  },
  notes: `
Damaged sessions are always listed, except with -q.

When piped: id, status, turn, agent, time of the last change and task, separated by tabs, without a header; with --everywhere
the project behind them.`,
  examples: [
    'zwarm ls',
    'zwarm ls --status failed,lost --since 2h',
    ['zwarm ls --attention', 'what has ended since you last looked'],
    ['zwarm ls --everywhere --status running', 'what runs, in all projects'],
    ['zwarm ls --tree --source you,orch', 'families of agents that start agents'],
    "zwarm ls --all --json | jq '.[] | select(.token_usage.total_tokens > 100000) | .id'",
    'zwarm kill $(zwarm ls -q --status running --here)',
  ],
  async run(verb, _args, { since, tree, quiet, json, ...wanted }) {
    const { manager, context } = verb;
    const { stdout } = context;
    const sinceMs = since === undefined ? undefined : context.now() - since;
    const filters = { ...wanted, sinceMs, exactly: quiet };
    if (!quiet) await printNotices(verb, wanted.everywhere);
    const none = 'no sessions; start one: zwarm start "task"';
    if (!json && (quiet || !stdout.isTTY)) {
      const lines = await linesFor(manager, filters, tree);
      return lines.length === 0 ? verb.hint(none) : stdout.write(lines.join(''));
    }
    const unordered = await manager.list(filters);
    const families = tree ? familiesOf(unordered) : unordered.map((row) => ({ row, lastOf: [] }));
    const rows = families.map(({ row }) => row);
    if (json) return verb.printJson(rows);
    if (rows.length === 0) return verb.hint(none);
    const { branchOf, renderList } = await import('../../render/list.ts');
    const branches = families.map(({ lastOf }) => branchOf(lastOf));
    stdout.write(await renderList(rows, await verb.style('stdout'), branches));
  },
});
