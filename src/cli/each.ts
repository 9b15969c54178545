import { toZwarmError, type ZwarmError } from '../core/errors.ts';
import { errorText } from '../render/error-lines.ts';
import type { Verb } from './context.ts';

/** The result for one of several arguments. */
export type Outcome<T> =
  | { readonly ref: string; readonly value: T }
  | { readonly ref: string; readonly error: ZwarmError };

/** Does something for each argument, all at once, and continues when one fails. Keeps the order of the arguments. */
export async function forEachRef<T, R extends string>(
  refs: readonly R[],
  act: (ref: R) => Promise<T>,
): Promise<readonly Outcome<T>[]> {
  const outcomeOf = async (ref: R): Promise<Outcome<T>> => {
    try {
      return { ref, value: await act(ref) };
    } catch (error) {
      return { ref, error: toZwarmError(error) };
    }
  };
  return Promise.all(refs.map(outcomeOf));
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
export function reportErrors({ context }: Verb, outcomes: readonly Outcome<unknown>[]): void {
  for (const outcome of outcomes) if ('error' in outcome) context.stderr.write(errorText(outcome.error));
}

/** Ends a verb that has printed its results as they came, or prints them as a JSON array. */
export function reportOutcomes(verb: Verb, outcomes: readonly Outcome<object | null>[], json: boolean): void {
  verb.exit(firstExitCode(outcomes));
  const objectOf = (one: Outcome<object | null>) =>
    'error' in one ? failedObject(one.ref, one.error) : one.value;
  if (json) verb.printJson(outcomes.map(objectOf));
  else reportErrors(verb, outcomes);
}
