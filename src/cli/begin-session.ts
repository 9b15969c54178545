import { safeLine } from '../render/safe-text.ts';
import { reportStarted } from './await-answer.ts';
import { type fileOption, requireWaiting, type SESSION_OPTIONS, type WaitOptions } from './common-options.ts';
import type { Verb } from './context.ts';
import type { Values } from './define-verb.ts';
import { withTask } from './task-input.ts';

type BeginOptions = Values<typeof SESSION_OPTIONS & { readonly file: ReturnType<typeof fileOption> }> &
  WaitOptions & { readonly orchestrates?: boolean };

/** Begins a session with the task that the command line leads to, and reports it. */
export async function beginSession(
  verb: Verb,
  argument: string | undefined,
  { file, wait, timeoutMs, quiet, json, ...session }: BeginOptions,
): Promise<void> {
  requireWaiting({ wait, timeoutMs });
  const manager = await verb.manager();
  // A limit with a typing error has no effect: whoever reads the terminal learns of it.
  if (verb.context.stderr.isTTY) {
    for (const notice of (await manager.settings()).notices) verb.hint(safeLine(notice));
  }
  const source = { argument, file, what: 'task' } as const;
  const started = await withTask(verb.context, source, {
    check: () => manager.checkStart(session),
    use: (task) => manager.start({ task, ...session }),
  });
  for (const warning of started.warnings) verb.context.stderr.write(`zwarm: warning: ${safeLine(warning)}\n`);
  await reportStarted(verb, manager, started, { wait, timeoutMs, quiet, json });
}
