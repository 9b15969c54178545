import { usageError } from '../../core/errors.ts';
import { renderJsonLine } from '../../render/json.ts';
import { limitWaiting } from '../await-answer.ts';
import { IDS, TURN } from '../common-options.ts';
import { defineVerb, flag, type Values, value } from '../define-verb.ts';
import { failedObject, firstExitCode, forEachRef, reportErrors } from '../each.ts';
import { count } from '../parsers.ts';
import { printBytes, printJsonLines, printStderr, printSteps, type Wanted } from '../print-followed.ts';

const OPTIONS = {
  follow: flag('-f, --follow', 'continue until the sessions are at rest'),
  last: value('-n, --last <count>', 'begin with the last COUNT steps', count(0)),
  turn: TURN,
  full: flag('--full', 'with everything that belongs to a step, such as the whole output of a command'),
  stderr: flag('--stderr', "the agent's stderr instead of the steps"),
  raw: flag('--raw', 'exactly the bytes that the agent printed; not for a terminal'),
  json: flag('--json', 'print JSON lines, one for each step; a step that has changed is printed again'),
};

function checkOptions(
  refs: readonly string[],
  { raw, stderr, json, last }: Values<typeof OPTIONS>,
  isTerminal: boolean,
): void {
  if (raw && json)
    throw usageError('give either --raw or --json', 'the untouched bytes are JSON lines of the agent');
  if (stderr && json) throw usageError('--stderr is not JSON', 'leave out --json');
  if (last !== undefined && (raw || stderr)) {
    throw usageError(
      `-n counts steps: ${raw ? '--raw' : '--stderr'} prints none`,
      'leave out -n, or pipe it to tail',
    );
  }
  if (raw && refs.length > 1) throw usageError('--raw prints one session at a time', 'zwarm logs --raw ID');
  // Bytes of an agent could drive the terminal.
  if (raw && isTerminal)
    throw usageError('--raw is not for a terminal', 'zwarm logs --raw ID > FILE, or leave out --raw');
}

/** `zwarm logs` */
export const logs = defineVerb({
  name: 'logs',
  summary: 'print what agents do, step by step, as it happens',
  args: { refs: IDS },
  options: OPTIONS,
  notes: `
-f continues across the end of a turn into the next one, and ends when the session is at rest. Ctrl-C ends only zwarm;
the agents continue. With several ids, each line begins with the id of its session.`,
  examples: [
    'zwarm logs -f @last',
    ['zwarm logs -f -n 0 ab3 cd4', 'only what comes from now on'],
    'zwarm logs --raw ab3 --turn 2 > events.jsonl',
    `zwarm logs -f --json ab3 | jq --unbuffered -r 'select(.type == "command") | .command'`,
  ],
  async run(verb, { refs }, options) {
    const { stdout } = verb.context;
    checkOptions(refs, options, stdout.isTTY);
    const { follow, turn, last, full } = options;
    const manager = await verb.manager();
    const { signal, enough, code } = limitWaiting(verb, undefined);
    stdout.closed.addEventListener('abort', enough, { once: true });
    const wanted: Wanted = { follow, turn, last, full, several: refs.length > 1, signal };
    const outcomes = await forEachRef(refs, async (ref) => {
      const id = manager.resolve(ref);
      if (options.raw) return printBytes(verb, manager, id, options.stderr ? 'stderr' : 'events', wanted);
      if (options.stderr) return printStderr(verb, manager, id, wanted);
      if (options.json) return printJsonLines(verb, manager, id, wanted);
      await printSteps(verb, manager, id, wanted);
      // As it stands now, without any waiting.
      if (follow && !signal.aborted) verb.hint(`${id} ${await manager.wait(id, AbortSignal.abort())}`);
    });
    if (options.json) {
      for (const outcome of outcomes) {
        if ('error' in outcome) await stdout.send(renderJsonLine(failedObject(outcome.ref, outcome.error)));
      }
    } else reportErrors(verb, outcomes);
    const interrupted = signal.aborted && !stdout.closed.aborted;
    verb.exit(interrupted ? code() : firstExitCode(outcomes));
  },
});
