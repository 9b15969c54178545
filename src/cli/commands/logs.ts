import { Command } from 'commander';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { FollowOptions } from '../../manager/follow.ts';
import type { SessionManager } from '../../manager/session-manager.ts';
import { renderJsonLine } from '../../render/json.ts';
import { safeText } from '../../render/safe-text.ts';
import { limitWaiting } from '../await-answer.ts';
import { parseCount, type Verb } from '../context.ts';
import { failedObject, firstExitCode, forEachRef } from '../each.ts';
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

/** What is to be printed of each session. */
interface Wanted extends FollowOptions {
  readonly last: number | undefined;
  readonly full: boolean;
}

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

/** Prints a block of lines of a session as one piece; among several, each line says whose it is. */
type Print = (block: string) => Promise<void>;

function printer({ context }: Verb, id: SessionId, several: boolean): Print {
  const by = several ? `${id}  ` : '';
  const prefixed = (block: string): string =>
    block
      .split('\n')
      .map((line) => (by + line).trimEnd())
      .join('\n');
  return (block) => context.stdout.send(`${several ? prefixed(block) : block}\n`);
}

async function printSteps(
  verb: Verb,
  manager: SessionManager,
  id: SessionId,
  wanted: Wanted,
  several: boolean,
): Promise<void> {
  const { renderStep } = await import('../../render/steps.ts');
  const { turnRule } = await import('../../render/trajectory.ts');
  const { working_dir: directory } = await manager.record(id);
  const print = printer(verb, id, several);
  const whole = await verb.style('stdout');
  const style = several ? { ...whole, width: whole.width - id.length - 2 } : whole;
  let turn = 0;
  for await (const step of manager.followSteps(id, wanted)) {
    const rule = step.turn === turn ? '' : `${turnRule(`turn ${step.turn}`, style)}\n`;
    turn = step.turn;
    await print(rule + renderStep(step, style, { full: wanted.full, directory }));
  }
}

async function printJsonLines(
  verb: Verb,
  manager: SessionManager,
  id: SessionId,
  wanted: Wanted,
): Promise<void> {
  for await (const step of manager.followSteps(id, wanted)) {
    await verb.context.stdout.send(renderJsonLine({ id, ...step }));
  }
}

async function printStderr(
  verb: Verb,
  manager: SessionManager,
  id: SessionId,
  wanted: Wanted,
  several: boolean,
): Promise<void> {
  const print = printer(verb, id, several);
  let next = 0;
  for await (const { seq, text } of manager.followStderr(id, wanted)) {
    // However many lines are empty, one says it.
    const gap = seq > next ? '\n' : '';
    next = seq + 1;
    await print(gap + (text === null ? '(a line of more than 64 MiB)' : safeText(text)));
  }
}

async function printBytes(
  verb: Verb,
  manager: SessionManager,
  id: SessionId,
  file: 'events' | 'stderr',
  wanted: Wanted,
): Promise<void> {
  for await (const bytes of manager.followOutput(id, file, wanted)) await verb.context.stdout.send(bytes);
}

/** `zwarm logs` */
export function logsCommand(verb: Verb): Command {
  return new Command('logs')
    .description('print what agents do, step by step as it comes')
    .argument('<id...>', 'ids, names, prefixes of ids, or @last')
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
      const wanted: Wanted = { follow: options.follow, turn, last, full: options.full ?? false, signal };
      const several = refs.length > 1;
      const outcomes = await forEachRef(refs, async (ref) => {
        const id = manager.resolve(ref);
        if (options.raw) return printBytes(verb, manager, id, options.stderr ? 'stderr' : 'events', wanted);
        if (options.stderr) return printStderr(verb, manager, id, wanted, several);
        if (options.json) return printJsonLines(verb, manager, id, wanted);
        await printSteps(verb, manager, id, wanted, several);
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
