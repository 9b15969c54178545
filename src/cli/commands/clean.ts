import { shortBytes } from '../../core/bytes.ts';
import { EXIT_CODES } from '../../core/errors.ts';
import { keyOf } from '../../core/rules/clean-plan.ts';
import type { CleanResult, SkippedSession } from '../../manager/commands/clean.ts';
import { renderGone } from '../../render/row.ts';
import { safeLine } from '../../render/text/safe-text.ts';
import { counted } from '../../render/text/units.ts';
import { agreesTo, canAsk, confirm } from '../ask-first.ts';
import { QUIET_IDS, TAGS, YES } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, type Values, value } from '../define-verb.ts';
import { duration, number } from '../parsers.ts';
import { tellProcesses } from './rm.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;

const days = number(
  /^\d{1,6}(\.\d{1,6})?$/,
  0,
  'a number of days',
  '7; 0 means every session that has ended',
);

const OPTIONS = {
  days: value('--days <days>', `that ended at least this many days ago (default: ${DEFAULT_DAYS})`, days),
  olderThanMs: {
    ...value('--older-than <time>', 'that ended at least 90m, 36h, 10d ago', duration),
    conflicts: ['days'],
  },
  tags: TAGS,
  gone: flag('--gone', 'all sessions of projects whose directories are gone', ['days', 'olderThan', 'tag']),
  dryRun: flag('--dry-run', 'only show what would be deleted'),
  yes: YES,
  quiet: QUIET_IDS,
  json: flag('--json', 'print the plan, or what was done of it, as JSON'),
};

/** Deletes the stores of projects whose directories are gone, once the user agrees. */
async function cleanGone(verb: Verb, { dryRun, yes, json }: Values<typeof OPTIONS>): Promise<void> {
  const { manager, context } = verb;
  const stores = await manager.listGone();
  const isPlan = stores.length === 0 || dryRun;
  if (!isPlan) {
    for (const store of stores) context.stderr.write(`${safeLine(renderGone(store, context.now()))}\n`);
    verb.hint('a project that was moved keeps its sessions if you first run there: zwarm relocate');
    if (!(await confirm(verb, 'Delete all of these sessions?', yes))) return;
  }
  const { removed, kept } = isPlan ? { removed: stores, kept: [] } : await manager.removeGone(stores);
  if (json) verb.printJson({ removed, kept });
  else for (const { project } of removed) verb.print(safeLine(project));
  if (isPlan && !json)
    verb.hint(stores.length === 0 ? 'the directories of all projects are there' : 'would remove these');
  for (const { project } of kept) verb.warn(`kept, as a session of it may run: ${project}`);
  if (kept.length > 0) verb.exit(EXIT_CODES.failed);
}

/** Reasons that pass by themselves: it runs, or is gone by now. What a tree holds is told with the tree. */
const PASSING = ['running', 'pending', 'busy', 'not_found', 'tree_kept'];

/** Nobody is told to delete what was not read. */
const UNREAD = ['damaged', 'newer_record'];

/** Names the sessions that are old enough, or may be, and stayed because they cannot be deleted or judged. */
function warnOfSkipped(verb: Verb, skipped: readonly SkippedSession[], json: boolean): void {
  const left = skipped.filter(({ reason, old_enough }) => old_enough !== false && !PASSING.includes(reason));
  if (left.length === 0) return;
  verb.exit(EXIT_CODES.failed);
  if (json) return;
  const names = left.map(({ id, reason }) => `${id} (${reason})`).join(', ');
  const unread = left.find(({ reason }) => UNREAD.includes(reason));
  const hint =
    unread === undefined
      ? `to delete them, or hear why not: zwarm rm ${left.map(({ id }) => id).join(' ')}`
      : `to hear why: zwarm show ${unread.id}`;
  verb.warn(`could not be deleted or judged: ${names}; ${hint}`);
}

/** Says what stays of trees and sessions, and why. A branch that has commits of its own stays for good: that is no failure. */
async function warnOfKept(
  verb: Verb,
  { saved_first, kept }: CleanResult,
  { saves, isPrinted }: { readonly saves: boolean; readonly isPrinted: boolean },
) {
  const items = saves ? kept : [...saved_first, ...kept];
  if (items.some(({ kind }) => kind !== 'branch')) verb.exit(EXIT_CODES.failed);
  if (isPrinted || items.length === 0) return;
  const { renderItem } = await import('../../render/clean-plan.ts');
  for (const item of items) verb.warn(`kept: ${renderItem(item)}`);
  if (!saves && saved_first.length > 0)
    verb.hint('what exists only there goes into the trash for seven days with -y');
}

/** Says on a terminal how much was removed, or would be, and what stayed. */
function hintAt(verb: Verb, done: string, { removed, bytes, skipped }: CleanResult): void {
  const others = skipped.filter(({ reason }) => reason !== 'tree_kept');
  const kept = others.map(({ id, reason }) => `${id} (${reason})`).join(', ');
  verb.hint(`${done} ${counted(removed.length, 'session')}, ${shortBytes(bytes)}${kept && `; kept ${kept}`}`);
}

/** Prints what would be removed: on a terminal all of the plan, else a row for each session. */
async function printPlan(verb: Verb, plan: CleanResult, quiet: boolean): Promise<void> {
  const { renderAffected, renderAffectedRow } = await import('../../render/affected.ts');
  const { stdout } = verb.context;
  const { sessions } = plan;
  if (quiet || !stdout.isTTY) for (const one of sessions) verb.print(quiet ? one.id : renderAffectedRow(one));
  else {
    if (sessions.length > 0) stdout.write(renderAffected(sessions, await verb.style('stdout')));
    const { renderPlan } = await import('../../render/clean-plan.ts');
    stdout.write(renderPlan(plan));
  }
  if (!quiet) hintAt(verb, 'would remove', plan);
}

/** Shows a plan and asks; with nothing to be asked about it is agreed to. */
async function agrees(verb: Verb, plan: CleanResult): Promise<boolean> {
  const { renderPlan } = await import('../../render/clean-plan.ts');
  const { saved_first: saved, safe, sessions, bytes } = plan;
  verb.context.stderr.write(renderPlan(plan));
  const trash = saved.length === 0 ? '' : `, with ${counted(saved.length, 'tree')} into the trash`;
  if (sessions.length > 0) return agreesTo(verb, 'Delete', sessions, ` (${shortBytes(bytes)})${trash}`);
  const others = [...safe, ...saved].filter(({ kind }) => kind === 'tree' || kind === 'branch').length;
  return others === 0 || confirm(verb, `Delete all of this${trash}?`, false);
}

/** `zwarm clean` */
export const clean = defineVerb({
  name: 'clean',
  summary: 'delete sessions that ended long ago, and their trees',
  options: OPTIONS,
  notes: `
A session's age counts from its last end, not from its start, and where it was imported or unpacked after that, from then;
of one that is ready, from when it was forked or rewound. Running and damaged sessions are kept, and those of a newer
zwarm. A tree of its own goes with its session, and so do trees of sessions that are gone, branches made for them, and trees
that Codex's own program left in its home. All of it is in one of three groups:

  safe         what is in it is elsewhere, too: it is deleted, a tree with the branch that was made for it
  saved first  files or commits exist only there: it goes into the trash for seven days (zwarm restore)
  kept         nobody could bring it back, such as an unfinished merge; or a process or another session is there

On a terminal it shows the plan, and asks; elsewhere it deletes only what is safe, unless -y is given. The exit code is 1 if
something that is old enough is kept. When piped, --dry-run prints id, time of the last change, bytes, name and task, separated
by tabs.`,
  examples: [
    ['zwarm clean', `older than ${DEFAULT_DAYS} days`],
    'zwarm clean --older-than 36h --dry-run',
    ['zwarm clean --days 0 -y', 'every session that has ended'],
    ['zwarm clean --gone', 'after projects were deleted; a disk that is not mounted is gone, too'],
  ],
  async run(verb, _args, options) {
    if (options.gone) return cleanGone(verb, options);
    const { manager } = verb;
    const { days = DEFAULT_DAYS, olderThanMs = days * DAY_MS, tags, dryRun, yes, quiet, json } = options;
    const isAsking = canAsk(verb, yes);
    const wanted = { olderThanMs, tags, saves: yes || isAsking };
    const plan = dryRun || isAsking ? await manager.clean({ ...wanted, dryRun: true }) : null;
    if (plan !== null && dryRun) return json ? verb.printJson(plan) : printPlan(verb, plan, quiet);
    if (plan !== null && !(await agrees(verb, plan))) return;
    // No more than was shown.
    const only = plan && [...plan.safe, ...plan.saved_first].map(keyOf);
    const result = await manager.clean({ ...wanted, only: only ?? undefined, dryRun: false });
    if (json) verb.printJson(result);
    else for (const id of result.removed) verb.print(id);
    if (!json && !quiet) {
      if (result.trashed.length > 0)
        verb.warn(
          `in the trash for seven days: ${result.trashed.join(', ')}; to bring one back: zwarm restore ID`,
        );
      hintAt(verb, 'removed', result);
    }
    if (!json) for (const { id, pids } of result.left) tellProcesses(verb, id, pids);
    await warnOfKept(verb, result, { saves: wanted.saves, isPrinted: json || plan !== null });
    warnOfSkipped(verb, result.skipped, json);
  },
});
