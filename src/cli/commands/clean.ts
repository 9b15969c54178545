import { EXIT_CODES } from '../../core/errors.ts';
import { renderGone } from '../../render/row.ts';
import { safeLine } from '../../render/safe-text.ts';
import { counted, shortBytes } from '../../render/units.ts';
import { QUIET_IDS } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, type Values, value } from '../define-verb.ts';
import { number } from '../parsers.ts';

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
  gone: flag('--gone', 'all sessions of projects whose directories are gone', ['days']),
  dryRun: flag('--dry-run', 'only print what would be deleted'),
  yes: flag('-y, --yes', 'with --gone: do not ask'),
  quiet: QUIET_IDS,
  json: flag('--json', 'print {removed, skipped, bytes} as JSON'),
};

/** Deletes the stores of projects whose directories are gone, once the user agrees. */
async function cleanGone(verb: Verb, { dryRun, yes, json }: Values<typeof OPTIONS>): Promise<void> {
  const { manager, context } = verb;
  const stores = await manager.listGone();
  const isPlan = stores.length === 0 || dryRun;
  if (!isPlan)
    for (const store of stores) context.stderr.write(`${safeLine(renderGone(store, context.now()))}\n`);
  if (!isPlan && !(await verb.confirm('Delete all of these sessions?', yes)))
    return verb.exit(EXIT_CODES.failed);
  const { removed, kept } = isPlan ? { removed: stores, kept: [] } : await manager.removeGone(stores);
  if (json) verb.printJson({ removed, kept });
  else for (const { project } of removed) verb.print(safeLine(project));
  if (isPlan && !json)
    verb.hint(stores.length === 0 ? 'the directories of all projects are there' : 'would remove these');
  for (const { project } of kept) verb.warn(`kept, as a session of it may run: ${project}`);
  if (kept.length > 0) verb.exit(EXIT_CODES.failed);
}

/** `zwarm clean` */
export const clean = defineVerb({
  name: 'clean',
  summary: 'delete sessions that ended long ago',
  options: OPTIONS,
  notes: `
A session's age counts from its last end, not from its start. Running and damaged sessions are kept.`,
  examples: [
    ['zwarm clean', `older than ${DEFAULT_DAYS} days`],
    'zwarm clean --days 1 --dry-run',
    ['zwarm clean --days 0', 'every session that has ended'],
    ['zwarm clean --gone', 'after projects were deleted; a disk that is not mounted is gone, too'],
  ],
  async run(verb, _args, options) {
    if (options.gone) return cleanGone(verb, options);
    const { dryRun, json } = options;
    const olderThanMs = (options.days ?? DEFAULT_DAYS) * DAY_MS;
    const result = await verb.manager.clean({ olderThanMs, dryRun });
    const { removed, skipped, bytes } = result;
    if (json) verb.printJson(result);
    else {
      for (const id of removed) verb.print(id);
      const kept = skipped.map(({ id, reason }) => `${id} (${reason})`).join(', ');
      const done = `${dryRun ? 'would remove' : 'removed'} ${counted(removed.length, 'session')}`;
      verb.hint(`${done}, ${shortBytes(bytes)}${kept && `; kept ${kept}`}`);
    }
    const failed = skipped.filter(({ reason }) => reason === 'io').map(({ id }) => id);
    if (failed.length === 0) return;
    verb.exit(EXIT_CODES.io);
    if (!json) verb.warn(`files could not be deleted, check their permissions: ${failed.join(', ')}`);
  },
});
