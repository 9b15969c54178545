import { type ChangeCount, type ChangedFile, countOf } from '../../core/changes.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { textOfPath } from '../../core/raw-path.ts';
import { isoTime } from '../../core/time.ts';
import type { TreeChange } from '../../git/take-back.ts';
import { readSessionRecord } from '../../store/sessions.ts';
import { discardUndo, type NumberedUndo, readUndos, recordUndo } from '../../store/undos.ts';
import { callerOf } from '../access/caller.ts';
import { requireOwn } from '../access/permissions.ts';
import { type Move, planUndo } from '../changes/move-files.ts';
import { type Place, placeOf } from '../changes/place.ts';
import { compareSpan } from '../changes/spans.ts';
import { viewOfChange } from '../changes/view-of-change.ts';
import type { ManagerContext, Session } from '../context.ts';
import { requireAtRest } from '../launch/preconditions.ts';
import { readStateFromRecords } from '../session/current-turn.ts';
import { chosenSpans, requireKnownSpans } from './diff.ts';

/** What to undo. */
export interface UndoOptions {
  /** The turn; else the newest that can change files. */
  readonly turn?: number | undefined;
  /** Do again what was undone last. */
  readonly redo?: boolean | undefined;
  /** Only say what would be done. */
  readonly dryRun?: boolean | undefined;
}

/** Files that were moved: the JSON contract of `docs/formats.md`. */
export interface Undone extends ChangeCount {
  readonly id: SessionId;
  /** The turns whose changes were undone, or done again. */
  readonly turns: readonly number[];
  readonly redone: boolean;
  /** Files whose content was not kept: what these turns did to them stays. */
  readonly not_undone: readonly string[];
  readonly changed_files: readonly ChangedFile[];
}

/** What is about to be undone. */
export interface Plan {
  readonly undone: Undone;
  /** Moves the files. @throws ZwarmError `conflict`, `lost_race` */
  carryOut(): Promise<void>;
}

/** An undo that nothing has undone. */
function lastUndo(session: Session): NumberedUndo {
  const undos = readUndos(session);
  const redone = new Set(undos.map(({ undoes }) => undoes));
  const found = undos.findLast(({ number, undoes }) => undoes === null && !redone.has(number));
  if (found !== undefined) return found;
  throw new ZwarmError(
    'usage',
    `nothing of ${session.id} was undone`,
    `undo its last turn: zwarm undo ${session.id}`,
  );
}

/** Records a move, then makes it; one that fails leaves neither. */
async function carryOut(
  context: ManagerContext,
  session: Session,
  { saved, result, apply }: Move,
  { turns, undoes }: { readonly turns: readonly number[]; readonly undoes: number | null },
): Promise<void> {
  if (saved === result) return;
  const number = (readUndos(session).at(-1)?.number ?? 0) + 1;
  const [by, at] = [callerOf(context).source, isoTime(context.now())];
  // First: whatever happens, there is a way back.
  recordUndo(session, number, { v: 1, turns, undoes, saved, result, by, at });
  try {
    await apply();
  } catch (error) {
    discardUndo(session, number);
    throw error;
  }
}

async function planOf(
  context: ManagerContext,
  session: Session,
  place: Place,
  what: Pick<Undone, 'turns' | 'not_undone'> & { lastFirst: readonly TreeChange[]; undoes: number | null },
): Promise<Plan> {
  const { turns, not_undone, lastFirst, undoes } = what;
  const move = await planUndo(context, session, place, lastFirst);
  return {
    undone: {
      id: session.id,
      turns,
      redone: undoes !== null,
      not_undone,
      ...countOf(move.changes),
      changed_files: move.changes.map((change) => viewOfChange(change, false)),
    },
    carryOut: () => carryOut(context, session, move, { turns, undoes }),
  };
}

/** Plans how what turns changed is undone; `from`: all turns from that one on. @throws ZwarmError `no_snapshot`, `conflict` */
export async function planUndoOf(
  context: ManagerContext,
  session: Session,
  { turn, from }: { readonly turn?: number | undefined; readonly from?: number },
): Promise<Plan> {
  const known = await chosenSpans(context, session, from === undefined ? { turn: turn ?? 'last' } : {});
  const spans = known.spans.filter((span) => span.turn >= (from ?? 0));
  const unknown = known.unknown.filter((one) => one.turn >= (from ?? 0));
  requireKnownSpans(session, { spans: unknown.length > 0 ? [] : spans, unknown });
  const { place } = known;
  const lost = await Promise.all(
    spans.map(async (span) => {
      const { changes } = await compareSpan(context, place, span);
      return changes.flatMap(({ kind, path }) => (kind === 'unknown' ? [path] : []));
    }),
  );
  return planOf(context, session, place, {
    turns: spans.map((span) => span.turn),
    not_undone: [...new Set(lost.flat().map(textOfPath))],
    lastFirst: spans
      .map((span, i) => ({ before: span.from.tree, after: span.to.tree, without: lost[i] ?? [] }))
      .toReversed(),
    undoes: null,
  });
}

/**
 * Takes what a turn changed out of the files as they are now, and leaves what was edited since; or does that again.
 * @throws ZwarmError `conflict` with the names of the files where both are in the same place: nothing has moved then; `busy`,
 * `no_snapshot`, `usage`
 */
export async function undo(
  context: ManagerContext,
  session: Session,
  { turn, redo = false, dryRun = false }: UndoOptions = {},
): Promise<Undone> {
  requireOwn(context, session);
  requireAtRest(await readStateFromRecords(session, context.now()));
  const plan = redo ? await planRedo(context, session) : await planUndoOf(context, session, { turn });
  if (!dryRun) await plan.carryOut();
  return plan.undone;
}

function planRedo(context: ManagerContext, session: Session): Promise<Plan> {
  const { number, turns, saved, result } = lastUndo(session);
  const place = placeOf(context, session, readSessionRecord(session));
  const lastFirst = [{ before: saved, after: result, without: [] }];
  return planOf(context, session, place, { turns, not_undone: [], lastFirst, undoes: number });
}
