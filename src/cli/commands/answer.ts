import type { TurnReader } from '../../core/conversation/session-reader.ts';
import { EXIT_CODES, readyError, usageError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isFinal } from '../../core/status.ts';
import { isMarkerKind } from '../../core/turn-kinds.ts';
import { noteSeen } from '../await-answer.ts';
import { ID_OR_TAGS, TAGS } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import * as each from '../each.ts';
import { count } from '../parsers.ts';
import { answerOf, printAnswer } from '../print-answer.ts';

/** Refuses a turn that has no answer yet, or never will. @throws ZwarmError `busy`, `unknown_liveness`, `usage` */
function requireEnded(id: SessionId, { view }: TurnReader, turns: readonly TurnReader[]): void {
  const { turn, kind, status, error } = view;
  if (isMarkerKind(kind) && isFinal(status))
    throw usageError(`turn ${turn} of ${id} is a mark (${kind}): it has no answer`, `see: zwarm show ${id}`);
  if (isFinal(status)) return;
  if (status === 'unknown')
    throw new ZwarmError('unknown_liveness', `${id}: ${error?.message ?? status}`, error?.hint ?? null);
  const before = turns.findLast(
    ({ view }) => view.in_conversation && view.answer !== null && isFinal(view.status),
  );
  const earlier = before && `; what it answered before: zwarm answer ${id} --turn ${before.view.turn}`;
  const hint = `wait for it: zwarm wait ${id} --answer${earlier ?? ''}`;
  throw new ZwarmError('busy', `${id} is still ${status}: it has no answer yet`, hint);
}

/** A turn that has ended: of the conversation the newest, or the one that is asked for. @throws ZwarmError likewise, `not_running` */
async function readAnswer({ manager }: Verb, ref: string, asked: number | undefined) {
  const { summary, turns } = await manager.read(ref, { turn: asked });
  const { id } = summary;
  const reader = turns.find(({ view }) => view.turn === (asked ?? summary.turn));
  if (reader === undefined) throw readyError(id, 'it has no answer yet');
  requireEnded(id, reader, turns);
  return { id, reader };
}

type Answered = Awaited<ReturnType<typeof readAnswer>>;

const codeOf = ({ reader }: Answered): number => (reader.view.status === 'completed' ? 0 : EXIT_CODES.failed);

const jsonOf = ({ id, reader }: Answered): object => {
  const { turn, status } = reader.view;
  return { id, turn, status, answer: answerOf(reader) };
};

/** Prints what each session with one of some tags answered, and continues where one has not. */
async function printAll(verb: Verb, ids: readonly string[], asked: number | undefined, json: boolean) {
  const outcomes = await each.forEachRef(ids, (id) => readAnswer(verb, id, asked));
  const answers = each.valuesOf(outcomes);
  if (!json) for (const { id, reader } of answers) printAnswer(verb, id, reader, true);
  const objects = json ? await each.thenForEach(outcomes, async (one) => jsonOf(one)) : outcomes;
  each.reportOutcomes(verb, objects, json);
  verb.exit(each.firstExitCode(outcomes) || Math.max(0, ...answers.map(codeOf)));
  for (const { id, reader } of answers) await noteSeen(verb, id, reader.view.turn);
}

/** `zwarm answer` */
export const answer = defineVerb({
  name: 'answer',
  summary: 'print what a session answered',
  args: { ref: ID_OR_TAGS },
  options: {
    turn: value('--turn <number>', 'what it answered in this turn', count(1)),
    tags: TAGS,
    json: flag('--json', 'print {id, turn, status, answer} as JSON; with --tag an array'),
  },
  notes: `
The answer is the last message of the newest turn of the conversation, whole and as the agent wrote it. With --tag each
answer has a line "id status" before it on stderr.

Exit code: 0 the turn completed, 1 it did not, 4 it still runs, or the session is ready.`,
  examples: [
    'zwarm answer @last',
    ['zwarm answer fix-login > answer.md', 'byte for byte'],
    ['zwarm answer fix-login --turn 1', 'an earlier one'],
    ['zwarm answer --tag nightly', 'of each session with this tag'],
    ['zwarm wait --answer fix-login', 'once it has come'],
  ],
  async run(verb, { ref }, { turn: asked, tags, json }) {
    const [one = '', ...more] = await each.chosen(verb, ref === undefined ? [] : [ref], tags, 'zwarm answer');
    if (tags !== undefined) return printAll(verb, [one, ...more], asked, json);
    const answered = await readAnswer(verb, one, asked);
    const { id, reader } = answered;
    verb.exit(codeOf(answered));
    if (json) verb.printJson(jsonOf(answered));
    else printAnswer(verb, id, reader);
    await noteSeen(verb, id, reader.view.turn);
  },
});
