import { toZwarmError, type ZwarmError } from '../core/errors.ts';
import type { Verb } from './context.ts';
import { errorText } from './print-error.ts';

/** The result for one of several arguments. */
export type Outcome<T> =
  | { readonly ref: string; readonly value: T }
  | { readonly ref: string; readonly error: ZwarmError };

/** Does something for each argument, all at once, and continues when one fails. Keeps the order of the arguments. */
export async function forEachRef<T, R extends string>(
  refs: readonly R[],
  act: (ref: R) => Promise<T>,
): Promise<readonly Outcome<T>[]> {
  return Promise.all(
    refs.map(async (ref): Promise<Outcome<T>> => {
      try {
        return { ref, value: await act(ref) };
      } catch (error) {
        return { ref, error: toZwarmError(error) };
      }
    }),
  );
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

/** Prints the results as a JSON array. */
export function printOutcomes<T>(
  verb: Verb,
  outcomes: readonly Outcome<T>[],
  objectOf: (value: T) => object | null,
): void {
  verb.printJson(
    outcomes.map((outcome) =>
      'error' in outcome ? failedObject(outcome.ref, outcome.error) : objectOf(outcome.value),
    ),
  );
}

/** Ends a verb that has printed its results as they came, unless they are wanted as JSON. */
export function reportOutcomes(verb: Verb, outcomes: readonly Outcome<object>[], json: boolean): void {
  verb.exit(firstExitCode(outcomes));
  if (json) printOutcomes(verb, outcomes, (value) => value);
  else reportErrors(verb, outcomes);
}
