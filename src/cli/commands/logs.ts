import type { Command } from 'commander';
import { ZwarmError } from '../../core/errors.ts';
import { renderJsonLine } from '../../render/json.ts';
import { limitWaiting } from '../await-answer.ts';
import { parseCount, type Verb } from '../context.ts';
import { failedObject, firstExitCode, forEachRef } from '../each.ts';
import { printBytes, printJsonLines, printStderr, printSteps, type Wanted } from '../print-followed.ts';
import { reportErrors } from '../report-errors.ts';

interface Options {
  readonly follow?: boolean;
  readonly last?: string;
  readonly turn?: string;
  readonly full?: boolean;
  readonly stderr?: boolean;
  readonly raw?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
-f goes on across the end of a turn into the next one, and ends when the session is at rest. Ctrl-C ends only zwarm;
the agents run on. With several ids each line begins with the id of its session.

Examples:
  $ zwarm logs -f @last
  $ zwarm logs -f -n 0 ab3 cd4               only what comes from now on
  $ zwarm logs --raw ab3 --turn 2 > events.jsonl
  $ zwarm logs -f --json ab3 | jq --unbuffered -r 'select(.type == "command") | .command'`;

function usage(message: string, hint: string): ZwarmError {
  return new ZwarmError('usage', message, hint);
}

function checkOptions(refs: readonly string[], options: Options, isTerminal: boolean): void {
  const { raw, stderr, json, last } = options;
  if (raw && json)
    throw usage('give either --raw or --json', 'the untouched bytes are JSON lines of the agent');
  if (stderr && json) throw usage('--stderr is no JSON', 'leave out --json');
  if (last !== undefined && (raw || stderr)) {
    throw usage(
      `-n counts steps: ${raw ? '--raw' : '--stderr'} prints none`,
      'leave out -n, or pipe it to tail',
    );
  }
  if (raw && refs.length > 1) throw usage('--raw prints one session at a time', 'zwarm logs --raw ID');
  // Bytes of an agent could drive the terminal.
  if (raw && isTerminal)
    throw usage('--raw is not for a terminal', 'zwarm logs --raw ID > FILE, or leave out --raw');
}

/** `zwarm logs` */
export function logsCommand(command: Command, verb: Verb): Command {
  return command
    .option('-f, --follow', 'go on until the sessions are at rest')
    .option('-n, --last <count>', 'of what is there only the last COUNT steps')
    .option('--turn <number>', 'only this turn')
    .option('--full', 'with everything that belongs to a step, such as all the output of a command')
    .option('--stderr', "instead of the steps the agent's stderr")
    .option('--raw', 'the untouched bytes that the agent printed; not for a terminal')
    .option('--json', 'print JSON lines, one for each step; one that has changed is printed again')
    .addHelpText('after', EXAMPLES)
    .action(async (refs: readonly string[], options: Options) => {
      const { stdout } = verb.context;
      checkOptions(refs, options, stdout.isTTY);
      const turn = options.turn === undefined ? undefined : parseCount(options.turn, '--turn', 1);
      const last = options.last === undefined ? undefined : parseCount(options.last, '-n', 0);
      const manager = await verb.manager();
      const { signal, enough, code } = limitWaiting(verb, undefined);
      stdout.closed.addEventListener('abort', enough, { once: true });
      const wanted: Wanted = {
        follow: options.follow,
        turn,
        last,
        full: options.full ?? false,
        several: refs.length > 1,
        signal,
      };
      const outcomes = await forEachRef(refs, async (ref) => {
        const id = manager.resolve(ref);
        if (options.raw) return printBytes(verb, manager, id, options.stderr ? 'stderr' : 'events', wanted);
        if (options.stderr) return printStderr(verb, manager, id, wanted);
        if (options.json) return printJsonLines(verb, manager, id, wanted);
        await printSteps(verb, manager, id, wanted);
        // As it stands now, without any waiting.
        if (options.follow && !signal.aborted)
          verb.hint(`${id} ${await manager.wait(id, AbortSignal.abort())}`);
      });
      if (options.json) {
        for (const outcome of outcomes) {
          if ('error' in outcome) await stdout.send(renderJsonLine(failedObject(outcome.ref, outcome.error)));
        }
      } else reportErrors(verb, outcomes);
      const interrupted = signal.aborted && !stdout.closed.aborted;
      verb.exit(interrupted ? code() : firstExitCode(outcomes));
    });
}
