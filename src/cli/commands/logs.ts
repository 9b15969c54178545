import type { TrajectoryStep } from '../../core/conversation/trajectory.ts';
import { usageError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { shellWord } from '../../core/shell-word.ts';
import type { FollowStepsOptions } from '../../manager/follow/follow-turns.ts';
import { renderJsonLine } from '../../render/json.ts';
import { safeText } from '../../render/text/safe-text.ts';
import { limitWaiting } from '../await-answer.ts';
import { FULL_STEPS, IDS, TURN, TURN_TIMES } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { failedObject, firstExitCode, reportErrors, sessionsOf, thenForEach } from '../each.ts';
import { count, duration } from '../parsers.ts';

/** The options that say which steps are printed, and how. */
const OF_STEPS = ['last', 'tail', 'since', 'json'];

const OPTIONS = {
  follow: flag('-f, --follow', 'continue until the sessions have ended'),
  last: value('-n, --last <count>', 'begin with the last COUNT steps', count(0)),
  tail: { ...value('--tail <count>', 'the same as -n', count(0)), conflicts: ['last'] },
  since: value('--since <time>', 'only what was done in the last 45s, 10m, 2h, 3d', duration),
  turn: TURN,
  time: TURN_TIMES,
  full: FULL_STEPS,
  stderr: flag('--stderr', "the agent's stderr instead of the steps", OF_STEPS),
  raw: flag('--raw', 'exactly the bytes that the agent printed; not for a terminal', OF_STEPS),
  json: flag('--json', 'print JSON lines, one for each step; a step that has changed is printed again'),
};

/** What is printed of each session; where several share the output, each of their lines begins with a label. */
interface Wanted extends FollowStepsOptions {
  readonly full: boolean;
  readonly time: boolean;
  readonly label: string | null;
}

/** The steps of a session for people, a block for each; a rule before each turn. */
async function* stepBlocks({ manager, pageStyle }: Verb, id: SessionId, wanted: Wanted) {
  const { full, time, label } = wanted;
  const { renderStep } = await import('../../render/steps.ts');
  const { turnRule } = await import('../../render/turn-rule.ts');
  const { localTime } = await import('../../render/text/units.ts');
  const page = await pageStyle();
  const style = { ...page, width: page.width - (label === null ? 0 : label.length + 2) };
  const ruleOf = async ({ turn, undone }: TrajectoryStep): Promise<string> => {
    const views = time ? (await manager.read(id, { turn })).turns.map(({ view }) => view) : [];
    const began = views.flatMap(({ started_at: at }) => (at === null ? [] : [localTime(Date.parse(at))]));
    return `${turnRule([`turn ${turn}`, ...(undone ? ['rewound'] : []), ...began].join(' · '), style)}\n`;
  };
  let turn = 0;
  let directory: string | null = null;
  for await (const step of manager.followSteps(id, { ...wanted, unnumbered: true })) {
    const isNext = step.turn !== turn;
    const rule = isNext ? await ruleOf(step) : '';
    if (isNext) directory = await manager.directory(id, step.turn);
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

/** A block of lines, each behind a label. */
function prefixed(label: string, block: string): string {
  return block
    .split('\n')
    .map((line) => (line === '' ? label : `${label}  ${line}`))
    .join('\n');
}

/** `zwarm logs` */
export const logs = defineVerb({
  name: 'logs',
  summary: 'print what agents do, step by step, as it happens',
  args: { refs: IDS },
  options: OPTIONS,
  notes: `
The steps come with the last lines of their outputs; zwarm trajectory lists them with numbers, on a line each.

-f continues across the end of a turn into the next one, and ends when no turn runs or waits. Ctrl-C ends only zwarm;
the agents continue. With several ids, each line begins with the name of its session, or with its id where it has none.

--since leaves out turns that ended before that time, and in the turn that ran then, the steps that the agent's own history
dates before it. Steps without a date are shown.`,
  examples: [
    'zwarm logs -f @last',
    ['zwarm logs -f -n 0 fix-login docs', 'only what comes from now on'],
    ['zwarm logs --since 10m @last', 'the last ten minutes'],
    'zwarm logs --raw @last --turn 2 > events.jsonl',
    `zwarm logs --json @last | jq -r 'select(.type == "command").command'`,
  ],
  async run(verb, { refs }, options) {
    const { stdout } = verb.context;
    const { follow, turn, last, tail, since, full, time, stderr, raw, json } = options;
    const oneRaw = `zwarm logs --raw ${shellWord(refs[0] ?? '')}`;
    if (raw && refs.length > 1) throw usageError('--raw prints one session at a time', oneRaw);
    // Bytes of an agent could drive the terminal.
    if (raw && stdout.isTTY)
      throw usageError('--raw is not for a terminal', `${oneRaw} > FILE, or leave out --raw`);
    const { manager } = verb;
    const { signal, enough, code } = limitWaiting(verb, undefined);
    stdout.closed.addEventListener('abort', enough, { once: true });
    const sinceMs = since === undefined ? undefined : verb.context.now() - since;
    const common = { follow, turn, last: last ?? tail, sinceMs, full, time, signal };
    const { inLittleMemory } = await import('../terminal/prefer-memory.ts');
    // Each piece is waited for: a slow reader fills no memory.
    const named = await sessionsOf(refs, (ref) => manager.resolve(ref));
    const outcomes = await thenForEach(named, async (id) => {
      const label = named.length > 1 && !raw && !json ? ((await manager.summary(id)).name ?? id) : null;
      const wanted = { ...common, label };
      if (raw) {
        const bytes = manager.followOutput(id, stderr ? 'stderr' : 'events', wanted);
        for await (const piece of bytes) await stdout.send(piece);
      } else if (json) {
        for await (const step of inLittleMemory(manager.followSteps(id, wanted)))
          await stdout.send(renderJsonLine({ id, ...step }));
      } else {
        const blocks: AsyncIterable<string> = (stderr ? stderrLines : stepBlocks)(verb, id, wanted);
        for await (const block of inLittleMemory(blocks))
          await stdout.send(`${label === null ? block : prefixed(label, block)}\n`);
        // As it stands now, without any waiting.
        if (follow && !stderr && !signal.aborted)
          verb.hint(`${id} ${await manager.wait(id, AbortSignal.abort())}`);
      }
    });
    if (!json) reportErrors(verb, outcomes);
    else
      for (const outcome of outcomes)
        if ('error' in outcome)
          await stdout.send(
            renderJsonLine(failedObject(outcome.ref, verb.manager.inWordsOfCaller(outcome.error))),
          );
    const interrupted = signal.aborted && !stdout.closed.aborted;
    verb.exit(interrupted ? code() : firstExitCode(outcomes));
  },
});
