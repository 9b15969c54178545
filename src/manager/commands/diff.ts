import { resolve } from 'node:path';
import { type ChangeCount, type Changes, countOf, type FileChange } from '../../core/changes.ts';
import { usageError, ZwarmError } from '../../core/errors.ts';
import { isWithin } from '../../core/path.ts';
import { pathOfText, type RawPath } from '../../core/raw-path.ts';
import { isMarkerKind } from '../../core/turn-kinds.ts';
import { patchOf } from '../../git/compare.ts';
import { listOf } from '../../git/files.ts';
import { realPathOf } from '../../store/real-path.ts';
import { copiedTurns } from '../../store/records.ts';
import { readSessionRecord, readSnapshot } from '../../store/sessions.ts';
import { type KnownSpans, knownSpans, type TurnSpan } from '../changes/known-spans.ts';
import { type Place, placeOf, rootOf } from '../changes/place.ts';
import { compareSpan, netChanges, pairOf, type Span, spansBetween } from '../changes/spans.ts';
import { viewOfChange } from '../changes/view-of-change.ts';
import type { ManagerContext, Session, Turn } from '../context.ts';
import { tryCacheState } from '../session/cache-state.ts';
import { orDamaged, unknownTurn } from '../session/damage.ts';
import { readSessionFromStreams } from '../session/session-summary.ts';

/** What is to be compared. */
export interface DiffOptions {
  /** Only this turn; `last` for the newest that changes files. */
  readonly turn?: number | 'last' | undefined;
  /** Only the turns whose end the caller has not seen. */
  readonly sinceSeen?: boolean | undefined;
  /** What changed between the turns, and not in them. */
  readonly outside?: boolean | undefined;
  /** Only these files and what is below these directories: from the current directory where that is among the files. */
  readonly paths?: readonly string[] | undefined;
  /** They go from the root of the files, wherever the caller is. */
  readonly fromRoot?: boolean | undefined;
}

/** What changed, with a way to ask for the lines. */
export interface Diff {
  readonly changes: Changes;
  /** As git prints it; `binary`: with the content of files that are not text. @throws ZwarmError `git_failed` */
  patch(options: { readonly binary: boolean }): Promise<Buffer>;
}

/** Later than this, somebody may have changed files since the end of a turn. */
const LATE_MS = 10_000;

/** One piece of what changed. */
interface Part {
  readonly place: Place;
  readonly span: Span;
  readonly changes: readonly FileChange[];
  readonly alsoOutside: ReadonlySet<RawPath>;
  /** Whether everything in the span is meant. */
  readonly isWhole: boolean;
}

const NOTHING_ELSE: ReadonlySet<RawPath> = new Set();

/** The paths that are wanted, from the root of the files; null for all. @throws ZwarmError `usage` */
function wantedPaths(
  { cwd }: Pick<ManagerContext, 'cwd'>,
  root: string,
  paths: readonly string[] | undefined,
): readonly RawPath[] | null {
  if (paths === undefined || paths.length === 0) return null;
  const here = realPathOf(cwd) ?? cwd;
  return paths.map((given) => {
    const path = resolve(isWithin(here, root) ? here : root, given);
    if (!isWithin(path, root))
      throw usageError(`${given} does not lie in ${root}`, 'name a file of the session');
    return pathOfText(path.slice(root.length + 1));
  });
}

const isWanted = (path: RawPath, wanted: readonly RawPath[]): boolean =>
  wanted.some((one) => one === '' || path === one || path.startsWith(`${one}/`));

/** Of a part what is wanted. */
function only(part: Part, wanted: readonly RawPath[] | null): Part {
  if (wanted === null) return part;
  const changes = part.changes.filter(
    ({ path, from }) => isWanted(path, wanted) || (from !== null && isWanted(from, wanted)),
  );
  return { ...part, changes, isWhole: false };
}

/** The lines of a part. */
function patchOfPart(context: ManagerContext, part: Part, binary: boolean): Promise<Buffer> {
  const unknown = part.changes.filter(({ kind }) => kind === 'unknown').map(({ path }) => path);
  const paths = part.changes.flatMap(({ kind, path, from }) =>
    kind === 'unknown' ? [] : from === null ? [path] : [from, path],
  );
  return patchOf(pairOf(context, part.place, part.span), {
    binary,
    only: part.isWhole ? null : paths,
    without: unknown,
  });
}

function diffOf(
  context: ManagerContext,
  about: Omit<Changes, keyof ChangeCount | 'changed_files'>,
  parts: readonly Part[],
): Diff {
  const all = parts.flatMap(({ changes }) => changes);
  const changed_files = parts.flatMap(({ changes, alsoOutside }) =>
    changes.map((change) => viewOfChange(change, alsoOutside.has(change.path))),
  );
  return {
    changes: { ...about, ...countOf(all), changed_files },
    async patch({ binary }) {
      const pieces = await Promise.all(parts.map((part) => patchOfPart(context, part, binary)));
      return Buffer.concat(pieces);
    },
  };
}

/** The files around the turns that are meant. @throws ZwarmError `usage`, `no_snapshot` */
export async function chosenSpans(
  context: ManagerContext,
  session: Session,
  { turn, sinceSeen }: DiffOptions,
): Promise<KnownSpans & { readonly place: Place; readonly writes: boolean }> {
  const { id, store } = session;
  const reading = await orDamaged(session, () => readSessionFromStreams(session, context.now()));
  const { record } = reading;
  const place = placeOf(context, session, record);
  const copies = Math.max(copiedTurns(record), record.unpacked?.turn ?? 0);
  const own = reading.turns.filter(({ turn, request }) => turn > copies && !isMarkerKind(request.kind));
  const last = reading.turns.at(-1)?.turn ?? 0;
  if (typeof turn === 'number' && !reading.turns.some((one) => one.turn === turn))
    throw unknownTurn(id, turn, last);
  const seen = sinceSeen ? (store.seen?.get(id) ?? 0) : 0;
  const asked = own.filter((one) => one.turn > seen && (typeof turn !== 'number' || one.turn === turn));
  const newest = asked.findLast(({ runner }) => runner !== null);
  const meant = turn === 'last' ? asked.filter((one) => one.turn === newest?.turn) : asked;
  const isOpen = (one: Turn): boolean =>
    readSnapshot(one, 'before') !== null && readSnapshot(one, 'after') === null;
  const open = meant.filter(isOpen);
  const known = await knownSpans(context, record, meant, place);
  // What lists show of it was cached without what is known now.
  if (open.some((one) => !isOpen(one))) await tryCacheState(context, session);
  return { ...known, place, writes: record.sandbox !== 'read-only' };
}

/** Refuses where nothing is known. @throws ZwarmError `no_snapshot` */
export function requireKnownSpans({ id }: Session, { spans, unknown }: KnownSpans): void {
  const [first] = unknown;
  if (spans.length > 0 || first === undefined) return;
  const hint = `what its agent said that it changed: zwarm trajectory ${id}`;
  throw new ZwarmError(
    'no_snapshot',
    `what turn ${first.turn} of ${id} changed is not known: ${first.why}`,
    hint,
  );
}

const aboutTurns = ({ spans, unknown }: KnownSpans) => ({
  turns: spans.map(({ turn }) => turn),
  so_far: spans.some(({ isRunning }) => isRunning),
  late: spans.filter(({ lateMs }) => (lateMs ?? 0) > LATE_MS).map(({ turn }) => turn),
  unknown_turns: unknown,
});

async function partsOf(
  context: ManagerContext,
  place: Place,
  spans: readonly TurnSpan[],
  outside: boolean,
): Promise<readonly Part[]> {
  if (outside) {
    const between = spansBetween(spans);
    return Promise.all(
      between.map(async (span) => {
        const { changes } = await compareSpan(context, place, span);
        return { place, span, changes, alsoOutside: NOTHING_ELSE, isWhole: true };
      }),
    );
  }
  const [first, ...more] = spans;
  if (first === undefined) return [];
  const { span, changes, alsoBetween } = await netChanges(context, place, [first, ...more]);
  return [{ place, span, changes, alsoOutside: alsoBetween, isWhole: alsoBetween.size === 0 }];
}

/** What turns of a session changed. @throws ZwarmError `no_snapshot`, `usage`, `git_failed` */
export async function diff(
  context: ManagerContext,
  session: Session,
  options: DiffOptions = {},
): Promise<Diff> {
  const known = await chosenSpans(context, session, options);
  requireKnownSpans(session, known);
  const { place, spans } = known;
  const { root } = place;
  const wanted = wantedPaths(options.fromRoot ? { cwd: root } : context, root, options.paths);
  const parts = await partsOf(context, place, spans, options.outside ?? false);
  return diffOf(
    context,
    { id: session.id, other: null, root, ...aboutTurns(known) },
    parts.map((part) => only(part, wanted)),
  );
}

/** The files of a session as its last turn left them. @throws ZwarmError `no_snapshot` */
async function lastFiles(context: ManagerContext, session: Session) {
  const known = await chosenSpans(context, session, { turn: 'last' });
  requireKnownSpans(session, known);
  const [span] = known.spans;
  if (span !== undefined) return { ...known, span };
  const what = `${session.id} has no turn that could change files`;
  throw new ZwarmError('no_snapshot', what, `see: zwarm show ${session.id}`);
}

/** How the files that one session left differ from those that another one left. @throws ZwarmError likewise */
export async function diffBetween(
  context: ManagerContext,
  [one, other]: readonly [Session, Session],
  paths: readonly string[] | undefined,
): Promise<Diff> {
  const [from, to] = [await lastFiles(context, one), await lastFiles(context, other)];
  // git finds the objects of both.
  const objects = [one, other].flatMap((session) => {
    const { snapshots, user } = placeOf(context, session, readSessionRecord(session));
    return [`${snapshots}/objects`, ...(user === null ? [] : [`${user.common}/objects`])];
  });
  const place = { ...to.place, alternates: listOf(objects) };
  const span: Span = { from: { ...from.span.from, ...from.span.to }, to: to.span.to };
  const { changes } = await compareSpan(context, place, span);
  const part: Part = { place, span, changes, alsoOutside: NOTHING_ELSE, isWhole: true };
  const about = aboutTurns({ spans: [to.span], unknown: [] });
  const wanted = wantedPaths(context, place.root, paths);
  return diffOf(context, { id: one.id, other: other.id, root: rootOf(readSessionRecord(other)), ...about }, [
    only(part, wanted),
  ]);
}
