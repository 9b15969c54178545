import { toZwarmError, usageError, ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { shellWord } from '../core/shell-word.ts';
import type { Killed } from '../manager/commands/kill.ts';
import { errorText } from '../render/error-lines.ts';
import { countedProcesses } from '../render/text/units.ts';
import type { Verb } from './context.ts';

/** The result for one of several arguments. */
export type Outcome<T> =
  | { readonly ref: string; readonly value: T }
  | { readonly ref: string; readonly error: ZwarmError };

async function outcomeOf<T>(ref: string, act: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { ref, value: await act() };
  } catch (error) {
    return { ref, error: toZwarmError(error) };
  }
}

/** Does something for each argument, all at once, and continues when one fails. Keeps the order of the arguments. */
export async function forEachRef<T, R extends string>(
  refs: readonly R[],
  act: (ref: R) => Promise<T>,
): Promise<readonly Outcome<T>[]> {
  return Promise.all(refs.map((ref) => outcomeOf(ref, () => act(ref))));
}

/** The sessions that arguments name, each of them once, at the first one that names it. */
export async function sessionsOf(
  refs: readonly string[],
  resolve: (ref: string) => Promise<SessionId>,
): Promise<readonly Outcome<SessionId>[]> {
  const seen = new Set<SessionId>();
  const isNew = (id: SessionId): boolean => !seen.has(id) && seen.add(id) === seen;
  const named = await forEachRef(refs, resolve);
  return named.filter((one) => 'error' in one || isNew(one.value));
}

/** Does something for each argument that has not failed yet. */
export async function thenForEach<T, U>(
  outcomes: readonly Outcome<T>[],
  act: (value: T) => Promise<U>,
): Promise<readonly Outcome<U>[]> {
  return Promise.all(
    outcomes.map((one) => ('error' in one ? one : outcomeOf(one.ref, () => act(one.value)))),
  );
}

/** The outcomes without those that came to nothing. */
export function withoutNull<T>(outcomes: readonly Outcome<T | null>[]): readonly Outcome<T>[] {
  return outcomes.flatMap((one): readonly Outcome<T>[] => {
    if ('error' in one) return [one];
    return one.value === null ? [] : [{ ref: one.ref, value: one.value }];
  });
}

/** What came of the arguments that did not fail. */
export function valuesOf<T>(outcomes: readonly Outcome<T>[]): readonly T[] {
  return outcomes.flatMap((one) => ('value' in one ? [one.value] : []));
}

/**
 * The sessions that a verb is for: those that were named, or the ids of those with one of the tags, newest first. `line`
 * is how the verb is typed. @throws ZwarmError `usage` for none or both, `not_found` where no session has such a tag
 */
export async function chosen(
  { manager }: Verb,
  named: readonly string[],
  tags: readonly string[] | undefined,
  line: string,
): Promise<readonly string[]> {
  if (tags === undefined && named.length > 0) return named;
  if (tags === undefined) throw usageError('which session?', `${line} @last, or ${line} --tag TAG`);
  if (named.length > 0)
    throw usageError('give either ids or --tag', `${line} --tag ${shellWord(tags[0] ?? '')}`);
  const { rows: ids } = await manager.listing({ all: true, exactly: true, tags }, ({ id }) => id);
  if (ids.length > 0) return ids;
  throw new ZwarmError('not_found', `nothing matches --tag ${tags.join(' --tag ')}`, 'see: zwarm ls --all');
}

/** What `kill` has done to a session, in a word or two. */
export const killedText = ({ left }: Pick<Killed, 'left'>): string =>
  left === null ? 'killed' : `${countedProcesses(left)} ended`;

/** Whether a session that was to be ended had ended, or was deleted, by itself. */
export function isOver(outcome: Outcome<unknown>): boolean {
  return 'error' in outcome && ['not_running', 'not_found'].includes(outcome.error.code);
}

/** A failed argument in a JSON array of results. */
export function failedObject(ref: string, { code, message, hint }: ZwarmError): object {
  return { id: ref, error: { code, message, hint } };
}

/** The exit code of the first argument that failed, else 0. */
export function firstExitCode(outcomes: readonly Outcome<unknown>[]): number {
  for (const outcome of outcomes) if ('error' in outcome) return outcome.error.exitCode;
  return 0;
}

/** Says on stderr which arguments failed, and why. */
export function reportErrors({ context, manager }: Verb, outcomes: readonly Outcome<unknown>[]): void {
  for (const outcome of outcomes)
    if ('error' in outcome) context.stderr.write(errorText(manager.inWordsOfCaller(outcome.error)));
}

/** Ends a verb that has printed its results as they came, or prints them as a JSON array. */
export function reportOutcomes(verb: Verb, outcomes: readonly Outcome<object | null>[], json: boolean): void {
  verb.exit(firstExitCode(outcomes));
  const objectOf = (one: Outcome<object | null>) =>
    'error' in one ? failedObject(one.ref, verb.manager.inWordsOfCaller(one.error)) : one.value;
  if (json) verb.printJson(outcomes.map(objectOf));
  else reportErrors(verb, outcomes);
}
