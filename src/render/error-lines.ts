import type { SessionError } from '../core/session.ts';
import { safeLine } from './safe-text.ts';

/** Why something failed and what to do, as lines of text. */
export function errorLines(error: SessionError): string[] {
  const said = safeLine(error.message);
  return error.hint === null ? [said] : [said, `hint: ${safeLine(error.hint)}`];
}
