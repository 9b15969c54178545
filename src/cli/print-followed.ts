import type { SessionId } from '../core/ids.ts';
import type { FollowStepsOptions } from '../manager/follow/follow-steps.ts';
import type { OutputFile } from '../manager/follow/follow-turns.ts';
import type { SessionManager } from '../manager/session-manager.ts';
import { renderJsonLine } from '../render/json.ts';
import { safeText } from '../render/safe-text.ts';
import type { Verb } from './context.ts';

/*
 * What `logs` prints of one session while it is followed. Each piece is waited for: a slow reader fills no memory.
 */

/** What is to be printed of each session. */
export interface Wanted extends FollowStepsOptions {
  /** Everything that belongs to a step. */
  readonly full: boolean;
  /** Several sessions share the output: each line says whose it is. */
  readonly several: boolean;
}

/** Prints a block of lines of a session as one piece; among several, each line says whose it is. */
type Print = (block: string) => Promise<void>;

function printer({ context }: Verb, id: SessionId, several: boolean): Print {
  const prefixed = (block: string): string =>
    block
      .split('\n')
      .map((line) => (line === '' ? id : `${id}  ${line}`))
      .join('\n');
  return (block) => context.stdout.send(`${several ? prefixed(block) : block}\n`);
}

/** The steps for people: a rule before each turn, then a block for each step. */
export async function printSteps(
  verb: Verb,
  manager: SessionManager,
  id: SessionId,
  wanted: Wanted,
): Promise<void> {
  const { renderStep } = await import('../render/steps.ts');
  const { turnRule } = await import('../render/turn-rule.ts');
  const { working_dir: directory } = await manager.record(id);
  const print = printer(verb, id, wanted.several);
  const whole = await verb.pageStyle();
  const style = wanted.several ? { ...whole, width: whole.width - id.length - 2 } : whole;
  let turn = 0;
  for await (const step of manager.followSteps(id, wanted)) {
    const rule = step.turn === turn ? '' : `${turnRule(`turn ${step.turn}`, style)}\n`;
    turn = step.turn;
    await print(rule + renderStep(step, style, { full: wanted.full, directory }));
  }
}

/** The steps as JSON lines. */
export async function printJsonLines(
  verb: Verb,
  manager: SessionManager,
  id: SessionId,
  wanted: Wanted,
): Promise<void> {
  for await (const step of manager.followSteps(id, wanted)) {
    await verb.context.stdout.send(renderJsonLine({ id, ...step }));
  }
}

/** An agent's stderr, made harmless; of several empty lines one. */
export async function printStderr(
  verb: Verb,
  manager: SessionManager,
  id: SessionId,
  wanted: Wanted,
): Promise<void> {
  const print = printer(verb, id, wanted.several);
  let next = 0;
  for await (const { seq, text } of manager.followStderr(id, wanted)) {
    // However many lines are empty, one says it.
    const gap = seq > next ? '\n' : '';
    next = seq + 1;
    await print(gap + (text === null ? '(a line of more than 64 MiB)' : safeText(text)));
  }
}

/** The very bytes of a file. */
export async function printBytes(
  verb: Verb,
  manager: SessionManager,
  id: SessionId,
  file: OutputFile,
  wanted: Wanted,
): Promise<void> {
  for await (const bytes of manager.followOutput(id, file, wanted)) await verb.context.stdout.send(bytes);
}
