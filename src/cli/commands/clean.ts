import type { Command } from 'commander';
import { EXIT_CODES, ZwarmError } from '../../core/errors.ts';
import type { CleanResult } from '../../manager/remove.ts';
import type { Verb } from '../context.ts';

interface Options {
  readonly days: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
A session's age counts from its last end, not from its start. Running and damaged sessions are kept.

Examples:
  $ zwarm clean                              older than 7 days
  $ zwarm clean --days 1 --dry-run
  $ zwarm clean --days 0                     every session that has ended`;

const DAY_MS = 86_400_000;

function parseDays(text: string): number {
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new ZwarmError(
    'usage',
    `--days: ${JSON.stringify(text)} is no number of days`,
    'write --days 7; 0 means all that have ended',
  );
}

async function tell(verb: Verb, { removed, skipped, bytes }: CleanResult, dryRun: boolean): Promise<void> {
  const { shortBytes } = await import('../../render/style.ts');
  const { stdout } = verb.context;
  stdout.write(removed.map((id) => `${id}\n`).join(''));
  const kept = skipped.map(({ id, reason }) => `${id} (${reason})`);
  const count = `${removed.length} ${removed.length === 1 ? 'session' : 'sessions'}, ${shortBytes(bytes)}`;
  verb.hint(
    `${dryRun ? 'would remove' : 'removed'} ${count}${kept.length === 0 ? '' : `; kept ${kept.join(', ')}`}`,
  );
}

/** `zwarm clean` */
export function cleanCommand(command: Command, verb: Verb): Command {
  return command
    .option('--days <days>', 'that ended at least this many days ago', '7')
    .option('--dry-run', 'only say what would go')
    .option('-q, --quiet', 'print ids alone (as it does anyway)')
    .option('--json', 'print {removed, skipped, bytes} as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => {
      const olderThanMs = parseDays(options.days) * DAY_MS;
      const dryRun = options.dryRun ?? false;
      const result = await (await verb.manager()).clean({ olderThanMs, dryRun });
      if (options.json) verb.printJson(result);
      else await tell(verb, result, dryRun);
      const closed = result.skipped.filter(({ reason }) => reason === 'io');
      if (closed.length === 0) return;
      verb.exit(EXIT_CODES.io);
      const ids = closed.map(({ id }) => id).join(', ');
      if (!options.json) {
        verb.context.stderr.write(`zwarm: files could not be deleted, check their permissions: ${ids}\n`);
      }
    });
}
