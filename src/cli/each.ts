import { toZwarmError, type ZwarmError } from '../core/errors.ts';

/** What came of one of several arguments. */
export type Outcome<T> =
  | { readonly ref: string; readonly value: T }
  | { readonly ref: string; readonly error: ZwarmError };

/** Does something for each argument, all at once, and keeps going when one fails; in the order of the arguments. */
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
