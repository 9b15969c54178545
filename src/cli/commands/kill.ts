import { Command } from 'commander';
import { type ErrorCode, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { parseDuration } from '../../core/time.ts';
import type { SessionManager } from '../../manager/session-manager.ts';
import { sessionObject } from '../await-answer.ts';
import type { Verb } from '../context.ts';
import { failedObject, firstExitCode, forEachRef } from '../each.ts';
import { reportErrors } from '../report-errors.ts';

interface Options {
  readonly all?: boolean;
  readonly grace?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
The agent and every process that it has started are asked to end, then told to, then ended. Success means that their
end was seen. The session stays, with all that it had answered; it can be continued with zwarm inject.

Examples:
  $ zwarm kill @last
  $ zwarm kill --grace 30s ab3d cd4e
  $ zwarm kill --all`;

async function chosen(verb: Verb, refs: readonly string[], all: boolean): Promise<readonly string[]> {
  if (all && refs.length > 0) throw new ZwarmError('usage', 'give either ids or --all', 'zwarm kill --all');
  if (!all && refs.length === 0) {
    throw new ZwarmError('usage', 'which session?', 'zwarm kill ID, or zwarm kill --all');
  }
  return all ? (await verb.manager()).listLive() : refs;
}

/** A session as it stands now; of a damaged one what its row in a list says. */
async function rowOf(manager: SessionManager, id: SessionId): Promise<object> {
  try {
    return sessionObject(await manager.get(id));
  } catch (error) {
    const row = (await manager.list({ all: true })).find((one) => one.id === id);
    if (row?.status === 'damaged') return row;
    throw error;
  }
}

/** What ended or went by itself while `kill --all` was at it has not failed: nothing of it runs. */
const OVER: ReadonlySet<ErrorCode> = new Set(['not_running', 'not_found']);

/** `zwarm kill` */
export function killCommand(verb: Verb): Command {
  return new Command('kill')
    .alias('stop')
    .description('stop running sessions')
    .argument('[id...]', 'ids, names, prefixes of ids (4 characters or more), or @last')
    .option('--all', 'all that run')
    .option('--grace <time>', 'how long to wait after each signal (default: 5s)')
    .option('-q, --quiet', 'print ids alone')
    .option('--json', 'print an array of sessions as JSON, in the order of the arguments')
    .addHelpText('after', EXAMPLES)
    .action(async (refs: readonly string[], options: Options) => {
      const graceMs = options.grace === undefined ? undefined : parseDuration(options.grace, '--grace');
      const ids = await chosen(verb, refs, options.all ?? false);
      if (ids.length === 0 && !options.json) verb.hint('nothing is running');
      const manager = await verb.manager();
      const each = await forEachRef(ids, async (ref) => {
        const id = manager.resolveForEnding(ref);
        await manager.kill(id, { graceMs });
        if (options.json) return rowOf(manager, id);
        verb.context.stdout.write(options.quiet ? `${id}\n` : `${id} killed\n`);
        return {};
      });
      const outcomes = options.all
        ? each.filter((outcome) => !('error' in outcome && OVER.has(outcome.error.code)))
        : each;
      verb.exit(firstExitCode(outcomes));
      if (!options.json) return reportErrors(verb, outcomes);
      verb.printJson(
        outcomes.map((outcome) =>
          'error' in outcome ? failedObject(outcome.ref, outcome.error) : outcome.value,
        ),
      );
    });
}
