import { z } from 'zod';

/*
 * The parameters that several tools have, and the kinds of all others. Each says what holds where it is left out, as some
 * hosts show a model no defaults.
 */

/** The parameter that names a session. */
export const sessionId = z
  .string()
  .describe('the id of a session, as delegate and list_sessions gave it; or its name');

/** How long to wait. */
export const seconds = (about: string) => z.number().min(0).max(86_400).optional().describe(about);

/** The longest wait that may be asked for. */
export const waitSec = seconds(
  'how long this call waits, in seconds; left out, or more than the host allows: as long as that allows',
);

/** A text that may be left out. */
export const text = (about: string) => z.string().optional().describe(about);

/** Some words of the user. */
export const texts = (about: string) => z.array(z.string()).optional().describe(about);

/** What is off where it is left out. */
export const flag = (about: string) => z.boolean().default(false).describe(about);

/** One of some words, the first where it is left out. */
export const choice = <const Words extends readonly [string, ...string[]]>(words: Words, about: string) =>
  z
    .enum(words)
    .default(words[0] as never)
    .describe(about);

/** How many of many. */
export const howMany = (about: string) => z.number().int().min(1).max(500).optional().describe(about);
