import type { Command } from 'commander';
import { ZwarmError } from '../../core/errors.ts';
import { familiesOf, type Placed } from '../../core/rules/family.ts';
import { SESSION_STATUSES, type SessionStatus, type SessionSummary } from '../../core/session.ts';
import { closest } from '../../core/suggest.ts';
import { parseDuration } from '../../core/time.ts';
import type { ListOptions } from '../../manager/list.ts';
import type { SessionManager } from '../../manager/session-manager.ts';
import { parseCount, type Verb } from '../context.ts';

interface Options {
  readonly all?: boolean;
  readonly limit?: string;
  readonly status?: string;
  readonly here?: boolean;
  readonly since?: string;
  readonly grep?: string;
  readonly attention?: boolean;
  readonly source?: string;
  readonly tree?: boolean;
  readonly sort?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Damaged sessions are listed whatever is asked for, but not with -q.

When piped: id, status, turn, agent, time of the last change and task, separated by tabs, without a header.

Examples:
  $ zwarm ls
  $ zwarm ls --status failed,lost --since 2h
  $ zwarm ls --attention                     what has ended since you last looked
  $ zwarm ls --tree --source you,orch        families of agents that start agents
  $ zwarm ls --all --json | jq '.[] | select(.token_usage.total_tokens > 100000) | .id'
  $ zwarm kill $(zwarm ls -q --status running --here)`;

function parseStatuses(text: string): readonly SessionStatus[] {
  return text.split(',').map((word) => {
    const found = SESSION_STATUSES.find((status) => status === word);
    if (found !== undefined) return found;
    const guess = closest(word, SESSION_STATUSES);
    const hint = guess === null ? `choose from: ${SESSION_STATUSES.join(', ')}` : `did you mean ${guess}?`;
    throw new ZwarmError('usage', `unknown status ${JSON.stringify(word)}`, hint);
  });
}

function parseSort(text: string): 'created' | 'updated' {
  if (text === 'created' || text === 'updated') return text;
  throw new ZwarmError('usage', `cannot sort by ${JSON.stringify(text)}`, 'choose one of: created, updated');
}

/** Rows in the order in which they are printed. */
function placed(rows: readonly SessionSummary[], tree = false): readonly Placed<SessionSummary>[] {
  return tree ? familiesOf(rows) : rows.map((row) => ({ row, lastOf: [] }));
}

async function rowsOf(
  manager: SessionManager,
  filters: ListOptions,
  tree = false,
): Promise<SessionSummary[]> {
  return placed(await manager.list(filters), tree).map(({ row }) => row);
}

function sayNone(verb: Verb): void {
  verb.hint('no sessions; start one: zwarm start "task"');
}

/** `zwarm ls` */
export function lsCommand(command: Command, verb: Verb): Command {
  return command
    .option('-a, --all', 'list all of them')
    .option('-n, --limit <count>', 'list the newest COUNT')
    .option('--status <status>', `only these, separated by commas: ${SESSION_STATUSES.join(', ')}`)
    .option('--here', 'only those that work in this directory')
    .option('--since <time>', 'only those that changed in the last 45s, 10m, 2h, 3d')
    .option('--grep <text>', 'only those with this text in the task, the name or the last message')
    .option(
      '--source <who>',
      'only those started by you, orch, orch:ID, mcp or mcp:CLIENT, separated by commas',
    )
    .option('--attention', 'only those that have ended and that you have not looked at since')
    .option('--sort <by>', 'created or updated (default: created)')
    .option('--tree', 'what an agent started below the session of that agent')
    .option('-q, --quiet', 'print ids alone')
    .option('--json', 'print an array of sessions as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => {
      const { context } = verb;
      const filters = {
        all: options.all,
        limit: options.limit === undefined ? undefined : parseCount(options.limit, '-n', 1),
        statuses: options.status === undefined ? undefined : parseStatuses(options.status),
        here: options.here,
        sinceMs:
          options.since === undefined ? undefined : context.now() - parseDuration(options.since, '--since'),
        grep: options.grep,
        attention: options.attention,
        source: options.source,
        sort: options.sort === undefined ? undefined : parseSort(options.sort),
        exactly: options.quiet,
      };
      const manager = await verb.manager();
      if (options.quiet || options.json || !context.stdout.isTTY) {
        if (options.json) return verb.printJson(await rowsOf(manager, filters, options.tree));
        const { renderRow } = await import('../../render/row.ts');
        const lineOf = options.quiet ? (row: SessionSummary): string => `${row.id}\n` : renderRow;
        // Of ten thousand rows only a tree needs more at once than their lines.
        const lines = options.tree
          ? (await rowsOf(manager, filters, true)).map(lineOf)
          : await manager.listAs(filters, lineOf);
        return lines.length === 0 ? sayNone(verb) : context.stdout.write(lines.join(''));
      }
      const families = placed(await manager.list(filters), options.tree);
      if (families.length === 0) return sayNone(verb);
      const rows = families.map(({ row }) => row);
      const { renderList } = await import('../../render/list.ts');
      const { branchOf } = await import('../../render/tree.ts');
      const branches = families.map(({ lastOf }) => branchOf(lastOf));
      context.stdout.write(await renderList(rows, await verb.style('stdout'), branches));
    });
}
