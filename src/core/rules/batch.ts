import * as z from 'zod/mini';
import { decode, type Schema } from '../decode.ts';
import { usageError } from '../errors.ts';

/** One of several sessions that are started together, as a line of JSON gives it. */
export interface BatchLine {
  readonly task: string;
  readonly name?: string | undefined;
  /** The revision at which its worktree begins. */
  readonly base?: string | undefined;
  readonly agent?: string | undefined;
}

const text = z.optional(z.string());

/** Strict: a field that is misspelt has no effect. */
const line: Schema<BatchLine> = z.strictObject({ task: z.string(), name: text, base: text, agent: text });

/** The sessions that lines of JSON ask for; empty lines do not count. @throws ZwarmError `usage` */
export function parseBatch(lines: string): readonly BatchLine[] {
  return lines.split('\n').flatMap((one, i) => {
    if (one.trim() === '') return [];
    const refuse = (why: string, cause?: unknown) =>
      usageError(
        `line ${i + 1} of stdin: ${why}`,
        'each line is {"task": …}, also with name, base and agent',
        cause,
      );
    let json: unknown;
    try {
      json = JSON.parse(one);
    } catch (error) {
      throw refuse('it is not valid JSON', error);
    }
    return [decode(line, json, refuse)];
  });
}
