import { usageError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { FollowStepsOptions } from '../../manager/follow/follow-turns.ts';
import { renderJsonLine } from '../../render/json.ts';
import { safeText } from '../../render/safe-text.ts';
import { limitWaiting } from '../await-answer.ts';
import { IDS, TURN } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, type Values, value } from '../define-verb.ts';
import { failedObject, firstExitCode, forEachRef, reportErrors } from '../each.ts';
import { count } from '../parsers.ts';

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
    const option = raw ? '--raw' : '--stderr';
    throw usageError(`-n counts steps: ${option} prints none`, 'leave out -n, or pipe it to tail');
  }
  if (raw && refs.length > 1) throw usageError('--raw prints one session at a time', 'zwarm logs --raw ID');
  // Bytes of an agent could drive the terminal.
  if (raw && isTerminal)
    throw usageError('--raw is not for a terminal', 'zwarm logs --raw ID > FILE, or leave out --raw');
}

/** What is printed of each session; several share the output, and each of their lines says whose it is. */
type Wanted = FollowStepsOptions & { readonly full: boolean; readonly several: boolean };

/** The steps of a session for people, a block for each; a rule before each turn. */
async function* stepBlocks(verb: Verb, id: SessionId, { full, several, ...wanted }: Wanted) {
  const { renderStep } = await import('../../render/steps.ts');
  const { turnRule } = await import('../../render/turn-rule.ts');
  const { working_dir: directory } = await verb.manager.record(id);
  const page = await verb.pageStyle();
  const style = { ...page, width: page.width - (several ? id.length + 2 : 0) };
  let turn = 0;
  for await (const step of verb.manager.followSteps(id, wanted)) {
    const rule = step.turn === turn ? '' : `${turnRule(`turn ${step.turn}`, style)}\n`;
    turn = step.turn;
    yield rule + renderStep(step, style, { full, directory });
  }
}

/** The lines of an agent's stderr, made harmless; of several empty lines one. */
async function* stderrLines({ manager }: Verb, id: SessionId, wanted: Wanted) {
  let next = 0;
  for await (const { seq, text } of manager.followStderr(id, wanted)) {
    const gap = seq > next ? '\n' : '';
    next = seq + 1;
    yield gap + (text === null ? '(a line of more than 64 MiB)' : safeText(text));
  }
}

/** A block of lines, each with the id of its session before it. */
function prefixed(id: SessionId, block: string): string {
  return block
    .split('\n')
    .map((line) => (line === '' ? id : `${id}  ${line}`))
    .join('\n');
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
    const { follow, turn, last, full, stderr, raw, json } = options;
    checkOptions(refs, options, stdout.isTTY);
    const { manager } = verb;
    const { signal, enough, code } = limitWaiting(verb, undefined);
    stdout.closed.addEventListener('abort', enough, { once: true });
    const wanted = { follow, turn, last, full, several: refs.length > 1, signal };
    // Each piece is waited for: a slow reader fills no memory.
    const outcomes = await forEachRef(refs, async (ref) => {
      const id = manager.resolve(ref);
      if (raw) {
        const bytes = manager.followOutput(id, stderr ? 'stderr' : 'events', wanted);
        for await (const piece of bytes) await stdout.send(piece);
      } else if (json) {
        for await (const step of manager.followSteps(id, wanted))
          await stdout.send(renderJsonLine({ id, ...step }));
      } else {
        const blocks = (stderr ? stderrLines : stepBlocks)(verb, id, wanted);
        for await (const block of blocks)
          await stdout.send(`${wanted.several ? prefixed(id, block) : block}\n`);
        // As it stands now, without any waiting.
        if (follow && !stderr && !signal.aborted)
          verb.hint(`${id} ${await manager.wait(id, AbortSignal.abort())}`);
      }
    });
    if (!json) reportErrors(verb, outcomes);
    else
      for (const outcome of outcomes)
        if ('error' in outcome) await stdout.send(renderJsonLine(failedObject(outcome.ref, outcome.error)));
    const interrupted = signal.aborted && !stdout.closed.aborted;
    verb.exit(interrupted ? code() : firstExitCode(outcomes));
  },
});
