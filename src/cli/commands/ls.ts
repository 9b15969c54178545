import { familiesOf, type Placed } from '../../core/rules/family.ts';
import { SESSION_STATUSES, type SessionSummary } from '../../core/session.ts';
import type { ListOptions } from '../../manager/commands/ls.ts';
import type { SessionManager } from '../../manager/session-manager.ts';
import { safeLine } from '../../render/safe-text.ts';
import { QUIET_IDS } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { count, duration, oneOf, someOf } from '../parsers.ts';

/** Rows in the order in which they are printed. */
function placed(rows: readonly SessionSummary[], tree: boolean): readonly Placed<SessionSummary>[] {
  return tree ? familiesOf(rows) : rows.map((row) => ({ row, lastOf: [] }));
}

async function rowsOf(
  manager: SessionManager,
  filters: ListOptions,
  tree: boolean,
): Promise<readonly SessionSummary[]> {
  return placed(await manager.list(filters), tree).map(({ row }) => row);
}

/** Prints a line for each session, for programs. */
async function printLines(
  verb: Verb,
  manager: SessionManager,
  filters: ListOptions,
  tree: boolean,
): Promise<void> {
  const { renderRow } = await import('../../render/row.ts');
  const lineOf = (row: SessionSummary): string =>
    filters.exactly ? `${row.id}\n` : renderRow(row, filters.everywhere);
  // Of ten thousand rows, only a tree needs more in memory than their lines.
  const lines = tree
    ? (await rowsOf(manager, filters, true)).map(lineOf)
    : await manager.listAs(filters, lineOf);
  if (lines.length === 0) hintAtStart(verb);
  else verb.context.stdout.write(lines.join(''));
}

/** Prints a table, for people. */
async function printTable(verb: Verb, families: readonly Placed<SessionSummary>[]): Promise<void> {
  if (families.length === 0) return hintAtStart(verb);
  const rows = families.map(({ row }) => row);
  const { branchOf, renderList } = await import('../../render/list.ts');
  const branches = families.map(({ lastOf }) => branchOf(lastOf));
  verb.context.stdout.write(await renderList(rows, await verb.style('stdout'), branches));
}

function hintAtStart(verb: Verb): void {
  verb.hint('no sessions; start one: zwarm start "task"');
}

/** The projects that are gone, each with what is kept of it. */
async function goneProjects(verb: Verb, manager: SessionManager): Promise<readonly string[]> {
  const gone = await manager.listGone();
  if (gone.length === 0) return [];
  const { renderGone } = await import('../../render/stores.ts');
  return gone.map((one) => `${renderGone(one, verb.context.now())}; to delete: zwarm clean --gone`);
}

/** Says on stderr what is to be known about where sessions are kept. */
async function printNotices(verb: Verb, manager: SessionManager, everywhere: boolean): Promise<void> {
  const gone = everywhere ? await goneProjects(verb, manager) : [];
  const notices = [...(await manager.projectNotices(everywhere)), ...gone];
  for (const notice of notices) verb.context.stderr.write(`zwarm: ${safeLine(notice)}\n`);
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
    const { now, stdout } = verb.context;
    const filters = {
      ...wanted,
      sinceMs: since === undefined ? undefined : now() - since,
      exactly: quiet,
    };
    const manager = await verb.manager();
    if (!quiet) await printNotices(verb, manager, wanted.everywhere);
    if (json) return verb.printJson(await rowsOf(manager, filters, tree));
    if (quiet || !stdout.isTTY) return printLines(verb, manager, filters, tree);
    await printTable(verb, placed(await manager.list(filters), tree));
  },
});
