import { createFolder } from '../../core/conversation/fold.ts';
import {
  createMatcher,
  type FoundLine,
  type Matcher,
  matchingLines,
  type Query,
} from '../../core/search/matcher.ts';
import { PLACES, type Place } from '../../core/search/places.ts';
import { type Prefilter, prefilterOf } from '../../core/search/prefilter.ts';
import { type PlacedText, textsOf } from '../../core/search/texts.ts';
import { isSaid } from '../../core/turn-kinds.ts';
import { turnFile } from '../../store/layout.ts';
import { mayContain } from '../../store/scan-bytes.ts';
import { hasSession, readPrompt, readSessionRecord } from '../../store/sessions.ts';
import type { Session, Turn } from '../context.ts';
import { readTurnWithOutcome, type TurnReading } from '../turn/turn-state.ts';
import { readSteps } from '../turn/turn-stream.ts';
import { turnsOf, undoneIn } from './current-turn.ts';
import { damageError, removedError } from './damage.ts';

/** What is searched for, and where. */
export interface Search {
  readonly matches: Matcher;
  /** Null where every stream has to be parsed. */
  readonly prefilter: Prefilter | null;
  readonly places: readonly Place[];
}

/** A line in which something was found. */
export interface Found extends FoundLine, Pick<PlacedText, 'in' | 'path'> {
  readonly turn: number;
  /** Whether that was rewound. */
  readonly undone: boolean;
}

/** @throws ZwarmError `usage` for a query that cannot be understood */
export function createSearch(query: Query, places: readonly Place[] = PLACES): Search {
  return { matches: createMatcher(query), prefilter: prefilterOf(query), places };
}

/** Whether it is worth the while to parse a turn: most are left at this. @throws DamagedRecord */
function mayMatch(turn: Turn, { prefilter, places }: Search): boolean {
  if (prefilter === null) return true;
  const inPrompt = places.includes('prompt') && mayContain(turnFile(turn, 'prompt'), prefilter);
  const elsewhere = places.some((place) => place !== 'prompt');
  return inPrompt || (elsewhere && mayContain(turnFile(turn, 'events'), prefilter));
}

function* textsOfTurn(reading: TurnReading): Generator<PlacedText> {
  const prompt = isSaid(reading.request.kind) ? readPrompt(reading) : null;
  if (prompt !== null) yield { in: 'prompt', text: prompt.toString(), path: null };
  const { stream } = reading;
  for (const { step, open } of readSteps(stream, createFolder())) {
    // It comes again when it has ended.
    if (!open || !stream.range.ended) yield* textsOf(step);
  }
}

/**
 * What is found in a session, the newest turn first, in a turn in the order in which it was said and done; also in turns
 * that were rewound. @throws ZwarmError `not_found`, `damaged`
 */
export async function* searchSession(
  { store, id }: Session,
  search: Search,
  nowMs: number,
): AsyncGenerator<Found> {
  const session = { store, id };
  try {
    const turns = turnsOf(session);
    // Most sessions hold nothing that is searched for.
    let undone: ReadonlySet<number> | null = null;
    for (const number of turns.toReversed()) {
      const turn = { ...session, turn: number };
      if (!mayMatch(turn, search)) continue;
      const reading = await readTurnWithOutcome(turn, readSessionRecord(session), nowMs);
      for (const { text, ...placed } of textsOfTurn(reading)) {
        if (!search.places.includes(placed.in)) continue;
        for (const line of matchingLines(text, search.matches)) {
          undone ??= undoneIn(session, turns);
          yield { turn: number, undone: undone.has(number), ...placed, ...line };
        }
      }
    }
  } catch (error) {
    throw damageError(session, error);
  }
  if (!hasSession(session)) throw removedError(id);
}

/** Whether anything is found in a session. @throws ZwarmError likewise */
export async function holdsAny(session: Session, search: Search, nowMs: number): Promise<boolean> {
  for await (const _ of searchSession(session, search, nowMs)) return true;
  return false;
}
