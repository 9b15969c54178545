import { type ChangeCount, countOf, type FileChange, withGaps } from '../../core/changes.ts';
import type { RawPath } from '../../core/raw-path.ts';
import { type Comparison, compareTrees } from '../../git/compare.ts';
import type { NewSnapshot } from '../../store/snapshots.ts';
import type { ManagerContext } from '../context.ts';
import { gitOver, type Place } from './place.ts';

/** A snapshot that was made. */
export type Made = NewSnapshot & { readonly tree: string };

/** Whether a snapshot was made: a record may say instead why there is none. */
export const isMade = <T extends NewSnapshot>(record: T | null): record is T & Made =>
  record !== null && record.tree !== null;

/** The files before and after something: a turn, or the time between two turns. */
export interface Span {
  readonly from: Made;
  readonly to: Pick<Made, 'tree' | 'left_out'>;
}

/** The trees of a span, and how git finds them. */
export const pairOf = (context: ManagerContext, place: Place, { from, to }: Span) => ({
  git: gitOver(context, place, null),
  alternates: place.alternates,
  from: from.tree,
  to: to.tree,
});

/** What changed in a span. @throws ZwarmError `git_failed` */
export async function compareSpan(context: ManagerContext, place: Place, span: Span): Promise<Comparison> {
  const { changes, objects } = await compareTrees(pairOf(context, place, span));
  return { objects, changes: withGaps(changes, { from: span.from.left_out, to: span.to.left_out }) };
}

/** What several spans changed together. */
export interface NetChanges {
  /** From before the first until after the last. */
  readonly span: Span;
  readonly changes: readonly FileChange[];
  /** Of these, the files that also changed between the spans: what is shown of them is not only the spans' doing. */
  readonly alsoBetween: ReadonlySet<RawPath>;
}

const pathsOf = (changes: readonly FileChange[]): readonly RawPath[] =>
  changes.flatMap(({ path, from }) => (from === null ? [path] : [path, from]));

/** The times between spans in which something changed. */
export function spansBetween(spans: readonly Span[]): readonly Span[] {
  return spans.flatMap((span, i) => {
    const before = spans[i - 1];
    if (before === undefined || before.to.tree === span.from.tree) return [];
    return [{ from: { ...span.from, ...before.to }, to: span.from }];
  });
}

/**
 * What spans changed, from before the first until after the last: the files that one of them touched. What changed between
 * them is left out. @throws ZwarmError `git_failed`
 */
export async function netChanges(
  context: ManagerContext,
  place: Place,
  spans: readonly [Span, ...Span[]],
): Promise<NetChanges> {
  const [first] = spans;
  const span: Span = { from: first.from, to: (spans.at(-1) ?? first).to };
  const { changes } = await compareSpan(context, place, span);
  const between = spansBetween(spans);
  if (between.length === 0) return { span, changes, alsoBetween: new Set() };
  const touched = async (some: readonly Span[]): Promise<ReadonlySet<RawPath>> => {
    const all = await Promise.all(some.map((one) => compareSpan(context, place, one)));
    return new Set(all.flatMap((one) => pathsOf(one.changes)));
  };
  const [own, others] = [await touched(spans), await touched(between)];
  return {
    span,
    changes: changes.filter((change) => pathsOf([change]).some((path) => own.has(path))),
    alsoBetween: others,
  };
}

/** The same as numbers. */
export async function countNet(
  context: ManagerContext,
  place: Place,
  spans: readonly [Span, ...Span[]],
): Promise<ChangeCount> {
  return countOf((await netChanges(context, place, spans)).changes);
}
