import { countOf } from '../../core/changes.ts';
import { toZwarmError } from '../../core/errors.ts';
import { isoTime } from '../../core/time.ts';
import { compareTrees, emptyTree, keepObjects } from '../../git/compare.ts';
import { listTurns, readSessionRecord, readSnapshot } from '../../store/sessions.ts';
import { hasObject, type NewSnapshot, publishSnapshot } from '../../store/snapshots.ts';
import type { ManagerContext, Session, Turn } from '../context.ts';
import { gitOver, type Place, placeOf } from './place.ts';
import { compareSpan, countNet, isMade, type Made, type Span } from './spans.ts';
import { type Snapshot, takeFiles } from './take-snapshot.ts';

/** A snapshot as it is recorded. */
function recordOf(context: ManagerContext, { head }: Place, { tree, leftOut }: Snapshot): Made {
  const at = isoTime(context.now());
  return { v: 1, tree, why: null, head, left_out: leftOut, at };
}

/** The same of one that could not be made. */
function failure(context: ManagerContext, error: unknown): NewSnapshot {
  const { message: why } = toZwarmError(error);
  const at = isoTime(context.now());
  return { v: 1, tree: null, why, head: null, left_out: [], at };
}

/** Records a snapshot, or why there is none. It never fails: the turn matters more than what is known of it. */
async function record(
  context: ManagerContext,
  turn: Turn,
  when: 'before' | 'after',
  make: () => Promise<NewSnapshot | null>,
): Promise<void> {
  const made = await make().catch((error: unknown) => failure(context, error));
  if (made === null) return;
  try {
    publishSnapshot(turn, when, made, context.newNonce());
  } catch {
    // On a full disk there is no room to say so: it is told as not recorded.
    return;
  }
}

/** The turns of a session whose files before and after are known, up to `last`; oldest first. */
export function spansUpTo(session: Session, last: number): readonly (Span & { readonly turn: number })[] {
  return listTurns(session).flatMap((turn) => {
    if (turn > last) return [];
    const [from, to] = [
      readSnapshot({ ...session, turn }, 'before'),
      readSnapshot({ ...session, turn }, 'after'),
    ];
    return isMade(from) && isMade(to) ? [{ turn, from, to }] : [];
  });
}

/**
 * Takes in the files before a turn; what is returned records them, and may be awaited while the agent begins. Where nobody
 * has recorded the files after an earlier turn, these are them, too: then they are recorded first. Neither fails.
 */
export async function takeBefore(context: ManagerContext, turn: Turn): Promise<() => Promise<void>> {
  const open = listTurns(turn)
    .map((number) => ({ ...turn, turn: number }))
    .filter(
      (one) =>
        one.turn < turn.turn && isMade(readSnapshot(one, 'before')) && readSnapshot(one, 'after') === null,
    );
  const taken = (async () => {
    const place = placeOf(context, turn, readSessionRecord(turn));
    return { place, files: await takeFiles(context, turn, place) };
  })();
  const make = async (): Promise<Made> => {
    const { place, files } = await taken;
    return recordOf(context, place, await files.finish());
  };
  if (open.length === 0) {
    await taken.catch(() => undefined);
    return () => record(context, turn, 'before', make);
  }
  const made = make();
  await record(context, turn, 'before', () => made);
  for (const one of open)
    await record(context, one, 'after', async () => finish(context, (await taken).place, one, await made));
  return async () => undefined;
}

/** The newest snapshot before a turn began, all of whose objects are ours or in the pinned commit. */
function knownBefore(turn: Turn, { head }: Made, like: string): string {
  const numbers = listTurns(turn).filter((number) => number < turn.turn);
  for (const number of numbers.toReversed()) {
    const one = { ...turn, turn: number };
    const before = readSnapshot(one, 'before');
    // Of a turn that was unpacked only the numbers are here.
    if (!isMade(before)) continue;
    const after = readSnapshot(one, 'after');
    return isMade(after) ? after.tree : before.tree;
  }
  return head ?? emptyTree(like);
}

/** What a turn has changed, once its end is known; copies what is only in the user's repository, and may be deleted there. */
async function finish(
  context: ManagerContext,
  place: Place,
  turn: Turn,
  end: Made,
): Promise<NewSnapshot | null> {
  const from = readSnapshot(turn, 'before');
  if (!isMade(from)) return null;
  const span = { from, to: end };
  const earlier = spansUpTo(turn, turn.turn - 1);
  const git = gitOver(context, place, null);
  const { snapshots, alternates } = place;
  const [own, base, total] = await Promise.all([
    compareSpan(context, place, span),
    alternates === null
      ? null
      : compareTrees({ git, alternates, from: knownBefore(turn, from, from.tree), to: from.tree }),
    earlier[0] === undefined ? null : countNet(context, place, [earlier[0], ...earlier.slice(1), span]),
  ]);
  await keepObjects({ git, alternates }, [...(base?.objects ?? []), ...own.objects], {
    isOurs: (object) => hasObject(snapshots, object),
    packs: `${snapshots}/objects/pack/pack`,
  });
  const changed = countOf(own.changes);
  return { ...end, changed, total: total ?? changed };
}

/** Records the files after a turn that has ended, unless that was done, or those before it are not known. */
export async function recordAfter(context: ManagerContext, turn: Turn): Promise<void> {
  if (!isMade(readSnapshot(turn, 'before')) || readSnapshot(turn, 'after') !== null) return;
  await record(context, turn, 'after', async () => {
    const place = placeOf(context, turn, readSessionRecord(turn));
    const files = await takeFiles(context, turn, place);
    return finish(context, place, turn, recordOf(context, place, await files.finish()));
  });
}
