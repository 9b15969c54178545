import * as z from 'zod/mini';
import { decode, type Schema } from '../core/decode.ts';
import { type Filling, isInside } from '../core/rules/filling.ts';
import { parseDuration } from '../core/time.ts';

const DEFAULT_TIMEOUT = '10m';

const word = z.string().check(z.regex(/^[^\0\n]+$/));

/** Strict: what is misspelt must not pass for a setup that ran. */
const table: Schema<{
  readonly copy: readonly string[];
  readonly clone: readonly string[];
  readonly setup?: string | undefined;
  readonly timeout: string;
}> = z.strictObject({
  copy: z._default(z.array(word), []),
  clone: z._default(z.array(word), []),
  setup: z.optional(z.string().check(z.regex(/^[^\0]*\S[^\0]*$/))),
  timeout: z._default(z.string(), DEFAULT_TIMEOUT),
});

/** What the table `[worktree]` of a project's file says; `refuse` gets what is wrong with it, in words. */
export function fillingOf(
  value: unknown,
  refuse: (why: string) => Error,
): Pick<Filling, 'copy' | 'clone' | 'setup' | 'timeoutS'> {
  const { copy, clone, setup = null, timeout } = decode(table, value, (why) => refuse(`worktree: ${why}`));
  const outside = clone.find((path) => !isInside(path));
  if (outside !== undefined)
    throw refuse(`worktree.clone: ${JSON.stringify(outside)} is not a path in the checkout`);
  let ms: number;
  try {
    ms = parseDuration(timeout, 'worktree.timeout');
  } catch {
    throw refuse(`worktree.timeout must be a duration, such as "10m", not ${JSON.stringify(timeout)}`);
  }
  return { copy, clone, setup, timeoutS: Math.max(1, Math.ceil(ms / 1000)) };
}
