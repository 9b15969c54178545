import { z } from 'zod';
import { ZwarmError } from '../core/errors.ts';
import { parseName } from '../core/ids.ts';
import { parseTags } from '../core/rules/tags.ts';

/*
 * The parameters that several tools have, and the kinds of all others. Each says in words what holds where it is left out,
 * as some hosts show a model no defaults. One without a word has a name that says all, and where it is left out there is
 * no such thing: models pay for each word of a tool in every conversation.
 */

/** The parameter that names a session: its id, or its name. */
export const sessionId = z.string();

/** How long to wait. */
export const seconds = (about: string) => z.number().min(0).max(86_400).optional().describe(about);

/** The longest wait that may be asked for. */
export const waitSec = seconds('default: as long as the host allows');

/** A text that may be left out. */
export const text = z.string().optional();

/** Refuses what a rule of the core refuses, in its words. */
const ruled =
  <T>(rule: (value: T) => unknown) =>
  (value: T, context: z.core.$RefinementCtx): void => {
    try {
      rule(value);
    } catch (error) {
      if (!(error instanceof ZwarmError)) throw error;
      context.addIssue({ code: 'custom', message: error.hint ?? error.message });
    }
  };

/** The name of a session. */
export const sessionName = z.string().superRefine(ruled(parseName)).optional();

/** Tags of sessions. */
export const tagList = z.array(z.string()).superRefine(ruled(parseTags)).optional();

/** What an agent is told. */
export const message = z.string().regex(/\S/, 'some words');

/** The number of a turn; of all where it is left out. */
export const turnNumber = z.number().int().min(1).optional();

/** How many of the first to skip. */
export const skipping = (about: string) => z.number().int().min(0).optional().describe(about);

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
