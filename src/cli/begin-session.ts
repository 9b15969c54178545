import type { StartOptions } from '../manager/start.ts';
import { safeLine } from '../render/safe-text.ts';
import { reportStarted } from './await-answer.ts';
import type { Verb } from './context.ts';
import { type SessionOptions, sessionOptions } from './session-options.ts';
import { withTask } from './task-input.ts';
import { type TurnOptions, waitingTime } from './turn-options.ts';

/** Begins a session with the task that the command line leads to, and reports it. */
export async function beginSession(
  verb: Verb,
  argument: string | undefined,
  options: SessionOptions & TurnOptions,
  more: Pick<StartOptions, 'orchestrates'> = {},
): Promise<void> {
  const timeoutMs = waitingTime(options);
  const manager = await verb.manager();
  // A limit that was mistyped is none: whoever is there to read it is told.
  if (verb.context.stderr.isTTY) {
    for (const notice of (await manager.settings()).notices) verb.hint(safeLine(notice));
  }
  const session = { ...sessionOptions(options), ...more };
  const source = { argument, file: options.file, what: 'task' } as const;
  const started = await withTask(verb.context, source, {
    check: () => manager.checkStart(session),
    use: (task) => manager.start({ task, ...session }),
  });
  for (const warning of started.warnings) verb.context.stderr.write(`zwarm: warning: ${safeLine(warning)}\n`);
  await reportStarted(verb, manager, started, { ...options, timeoutMs });
}
