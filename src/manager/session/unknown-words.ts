import { findAgent } from '../../agents/registry.ts';
import { isAmount } from '../../core/amount.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { ADOPTED_STREAMS, cutLine, EXECUTORS, firstFew, isSandbox } from '../../core/session.ts';
import { isTurnKind } from '../../core/turn-kinds.ts';
import type { KnownRecord, RequestRecord, SessionRecord } from '../../store/records.ts';
import { listTurns, readRequest, readSessionRecord } from '../../store/sessions.ts';
import type { Session } from '../context.ts';
import { orDamaged } from './damage.ts';

/*
 * A newer zwarm writes words that this one does not know. They are kept and shown as they are; what would have to know
 * what they mean is refused.
 */

/** A session with its record, and the numbers of its turns. */
interface Recorded extends Session {
  readonly record: SessionRecord;
  readonly turns: readonly number[];
}

const LONGEST_WORD = 100;

const named = (field: string, word: string): string =>
  `${field} ${JSON.stringify(cutLine(word, LONGEST_WORD))}`;

const ofAgent = (agent: string): readonly string[] =>
  findAgent(agent) === null ? [named('agent', agent)] : [];

/** The words of a session's own record that this version does not know, each with its field: `executor "ssh"`. */
function ofRecord({ agent, executor, sandbox, budget }: SessionRecord): readonly string[] {
  return [
    ...ofAgent(agent),
    ...(EXECUTORS.includes(executor) ? [] : [named('executor', executor)]),
    ...(isSandbox(sandbox) ? [] : [named('sandbox', sandbox)]),
    ...(budget === null || isAmount(budget) ? [] : [named('budget in', budget.unit)]),
  ];
}

/** The words of one of its turns likewise: `agent "gemini"`, `turn 3 of the kind "review"`. */
function ofTurn(turn: number, { kind, adopted, runs }: RequestRecord): readonly string[] {
  return [
    ...(isTurnKind(kind) ? [] : [named(`turn ${turn} of the kind`, kind)]),
    ...(runs === null ? [] : ofAgent(runs.agent)),
    ...(adopted === null || ADOPTED_STREAMS.includes(adopted.stream)
      ? []
      : [named(`turn ${turn} with the stream`, adopted.stream)]),
  ];
}

/** The words of a session and these turns of it that this version does not know, in words. */
export function unknownWords(
  record: SessionRecord,
  turns: readonly { readonly turn: number; readonly request: RequestRecord }[],
): readonly string[] {
  const all = turns.flatMap(({ turn, request }) => ofTurn(turn, request));
  return [...new Set([...ofRecord(record), ...all])];
}

function refuse(id: SessionId, words: readonly string[]): void {
  if (words.length === 0) return;
  const what = `${id} was written by a newer zwarm: this one does not know ${firstFew(words)}`;
  throw new ZwarmError('newer_record', what, `update zwarm; to read it: zwarm show ${id}`);
}

/** The record of a session whose words have to be known. @throws ZwarmError `newer_record` */
export function requireKnownRecord(id: SessionId, record: SessionRecord): KnownRecord {
  refuse(id, ofRecord(record));
  return record as KnownRecord;
}

/** The words of a session that this version does not know, its turns included. @throws DamagedRecord */
export function unknownWordsIn({ store, id, record, turns }: Recorded): readonly string[] {
  return unknownWords(
    record,
    turns.map((turn) => ({ turn, request: readRequest({ store, id, turn }) })),
  );
}

/** The same of a session of which nothing has been read. @throws DamagedRecord */
export function unknownWordsOf({ store, id }: Session): readonly string[] {
  const session = { store, id };
  return unknownWordsIn({ ...session, record: readSessionRecord(session), turns: listTurns(session) });
}

/** A session whose words have to be known, those of its turns included. @throws ZwarmError `newer_record`, `damaged` */
export async function requireKnownWords<S extends Recorded>(
  session: S,
): Promise<S & { readonly record: KnownRecord }> {
  refuse(session.id, await orDamaged(session, async () => unknownWordsIn(session)));
  return session as S & { readonly record: KnownRecord };
}
