import type { TurnReader } from '../../core/conversation/session-reader.ts';
import { EXIT_CODES, readyError, usageError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isFinal } from '../../core/status.ts';
import { isMark } from '../../core/turn-kinds.ts';
import { noteSeen } from '../await-answer.ts';
import { ID } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { count } from '../parsers.ts';
import { answerOf, printAnswer } from '../print-answer.ts';

/** Refuses a turn that has no answer yet, or never will. @throws ZwarmError `busy`, `unknown_liveness`, `usage` */
function requireEnded(id: SessionId, { view }: TurnReader, turns: readonly TurnReader[]): void {
  const { turn, kind, status, error } = view;
  if (isMark(kind) && isFinal(status))
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

/** `zwarm answer` */
export const answer = defineVerb({
  name: 'answer',
  summary: 'print what a session answered',
  args: { ref: ID },
  options: {
    turn: value('--turn <number>', 'what it answered in this turn', count(1)),
    json: flag('--json', 'print {id, turn, status, answer} as JSON'),
  },
  notes: `
The answer is the last message of the newest turn of the conversation, whole and as the agent wrote it.

Exit code: 0 the turn completed, 1 it did not, 4 it still runs, or the session is ready.`,
  examples: [
    'zwarm answer @last',
    ['zwarm answer fix-login > answer.md', 'byte for byte'],
    ['zwarm answer fix-login --turn 1', 'an earlier one'],
    ['zwarm wait --answer fix-login', 'once it has come'],
  ],
  async run(verb, { ref }, { turn: asked, json }) {
    const { summary, turns } = await verb.manager.read(ref, { turn: asked });
    const { id } = summary;
    const reader = turns.find(({ view }) => view.turn === (asked ?? summary.turn));
    if (reader === undefined) throw readyError(id, 'it has no answer yet');
    requireEnded(id, reader, turns);
    const { turn, status } = reader.view;
    verb.exit(status === 'completed' ? 0 : EXIT_CODES.failed);
    if (json) verb.printJson({ id, turn, status, answer: answerOf(reader) });
    else printAnswer(verb, id, reader);
    await noteSeen(verb, id, turn);
  },
});
