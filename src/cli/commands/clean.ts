import { EXIT_CODES, usageError } from '../../core/errors.ts';
import type { CleanResult } from '../../manager/commands/clean.ts';
import { safeLine } from '../../render/safe-text.ts';
import { QUIET_IDS } from '../common-options.ts';
import { confirm } from '../confirm.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, type Parser, value } from '../define-verb.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;

const days: Parser<number> = (text, name) => {
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw usageError(
    `${name}: ${JSON.stringify(text)} is not a number of days`,
    `write ${name} 7; 0 means every session that has ended`,
  );
};

async function report(verb: Verb, { removed, skipped, bytes }: CleanResult, dryRun: boolean): Promise<void> {
  const { shortBytes } = await import('../../render/style.ts');
  verb.context.stdout.write(removed.map((id) => `${id}\n`).join(''));
  const kept = skipped.map(({ id, reason }) => `${id} (${reason})`);
  const number = `${removed.length} ${removed.length === 1 ? 'session' : 'sessions'}, ${shortBytes(bytes)}`;
  verb.hint(
    `${dryRun ? 'would remove' : 'removed'} ${number}${kept.length === 0 ? '' : `; kept ${kept.join(', ')}`}`,
  );
}

interface GoneOptions {
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Deletes the stores of projects whose directories are gone, once the user agrees. */
async function cleanGone(verb: Verb, { dryRun, yes, json }: GoneOptions): Promise<void> {
  const { context } = verb;
  const manager = await verb.manager();
  const { renderGone } = await import('../../render/stores.ts');
  const stores = await manager.listGone();
  if (stores.length === 0 || dryRun) {
    if (json) return verb.printJson({ removed: stores, kept: [] });
    context.stdout.write(stores.map(({ project }) => `${safeLine(project)}\n`).join(''));
    return verb.hint(
      stores.length === 0 ? 'the directories of all projects are there' : 'would remove these',
    );
  }
  for (const store of stores) context.stderr.write(`${safeLine(renderGone(store, context.now()))}\n`);
  if (!(await confirm(context, 'Delete all of these sessions?', yes))) return verb.exit(EXIT_CODES.failed);
  const { removed, kept } = await manager.removeGone(stores);
  if (json) verb.printJson({ removed, kept });
  else context.stdout.write(removed.map(({ project }) => `${safeLine(project)}\n`).join(''));
  for (const { project } of kept)
    context.stderr.write(`zwarm: kept, as a session of it may run: ${safeLine(project)}\n`);
  if (kept.length > 0) verb.exit(EXIT_CODES.failed);
}

/** `zwarm clean` */
export const clean = defineVerb({
  name: 'clean',
  summary: 'delete sessions that ended long ago',
  options: {
    days: value('--days <days>', `that ended at least this many days ago (default: ${DEFAULT_DAYS})`, days),
    gone: flag('--gone', 'all sessions of projects whose directories are gone', ['days']),
    dryRun: flag('--dry-run', 'only print what would be deleted'),
    yes: flag('-y, --yes', 'with --gone: do not ask'),
    quiet: QUIET_IDS,
    json: flag('--json', 'print {removed, skipped, bytes} as JSON'),
  },
  notes: `
A session's age counts from its last end, not from its start. Running and damaged sessions are kept.`,
  examples: [
    ['zwarm clean', `older than ${DEFAULT_DAYS} days`],
    'zwarm clean --days 1 --dry-run',
    ['zwarm clean --days 0', 'every session that has ended'],
    ['zwarm clean --gone', 'after projects were deleted; a disk that is not mounted is gone, too'],
  ],
  async run(verb, _args, { days = DEFAULT_DAYS, dryRun, gone, yes, json }) {
    if (gone) return cleanGone(verb, { dryRun, yes, json });
    const result = await (await verb.manager()).clean({ olderThanMs: days * DAY_MS, dryRun });
    if (json) verb.printJson(result);
    else await report(verb, result, dryRun);
    const failed = result.skipped.filter(({ reason }) => reason === 'io');
    if (failed.length === 0) return;
    verb.exit(EXIT_CODES.io);
    const ids = failed.map(({ id }) => id).join(', ');
    if (!json) {
      verb.context.stderr.write(`zwarm: files could not be deleted, check their permissions: ${ids}\n`);
    }
  },
});
