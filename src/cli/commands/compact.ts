import type { Command } from 'commander';
import type { ContextFill } from '../../core/conversation/compact.ts';
import { ZwarmError } from '../../core/errors.ts';
import { reportStarted, sessionObject } from '../await-answer.ts';
import { parseCount, type Verb } from '../context.ts';
import { type TurnOptions, waitingTime } from '../turn-options.ts';

interface Options extends TurnOptions {
  readonly ifOver?: string;
  readonly historyChars?: string;
}

const EXAMPLES = `
The agent writes a summary, an ordinary turn. The next message begins a new thread of the agent, which is told the
summary and nothing else. Undone by: zwarm rewind ID --to TURN.

Examples:
  $ zwarm compact ab3 --wait                print the summary
  $ zwarm compact ab3 --if-over 0.8         only if more than 80 % of the context is used`;

function parseShare(text: string): number {
  const share = /^(0?\.\d{1,6}|1|1\.0{1,6})$/.test(text) ? Number(text) : Number.NaN;
  if (share > 0) return share;
  throw new ZwarmError(
    'usage',
    `--if-over: ${JSON.stringify(text)} is no share between 0 and 1`,
    'write --if-over 0.8',
  );
}

function whyNot(fill: ContextFill | null): string {
  if (fill === null || fill.window === null) return 'how full the context is cannot be told';
  const share = Math.floor((100 * fill.tokens) / fill.window);
  return `its context is ${share} % full (${fill.tokens.toLocaleString('en-US')} of ${fill.window.toLocaleString('en-US')} tokens)`;
}

/** `zwarm compact` */
export function compactCommand(command: Command, verb: Verb): Command {
  return command
    .option('--if-over <share>', 'only if the context is filled by more than this share, such as 0.8')
    .option(
      '--history-chars <number>',
      'at most so much of the conversation where the agent has to be told it',
    )
    .option('-w, --wait', 'wait for the end and print the summary')
    .option(
      '--timeout <time>',
      'with --wait: stop waiting after 45s, 10m, 2h (exit code 124; the agent runs on)',
    )
    .option('-q, --quiet', 'print the id and nothing else')
    .option('--json', 'print the session as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (ref: string, options: Options) => {
      const timeoutMs = waitingTime(options);
      const ifOver = options.ifOver === undefined ? undefined : parseShare(options.ifOver);
      const historyChars =
        options.historyChars === undefined
          ? undefined
          : parseCount(options.historyChars, '--history-chars', 0);
      const manager = await verb.manager();
      const compacted = await manager.compact(ref, { ifOver, historyChars });
      if (compacted.started !== null) {
        return reportStarted(verb, manager, compacted.started, { ...options, timeoutMs });
      }
      const { id, fill } = compacted;
      if (options.json) return verb.printJson(sessionObject(await manager.detail(id)));
      verb.context.stdout.write(`${id}\n`);
      if (!options.quiet) verb.hint(`not compacted: ${whyNot(fill)}`);
    });
}
