import type { ZwarmError } from '../core/errors.ts';
import type { SessionError } from '../core/session.ts';
import { safeLine, safeText } from './text/safe-text.ts';

/** Why a session failed and what to do, as lines of text. */
export function errorLines({ message, hint }: SessionError): string[] {
  return [safeLine(message), ...(hint === null ? [] : [`hint: ${safeLine(hint)}`])];
}

/** An error of our own for people: what went wrong, and what to do about it. */
export function errorText({ message, hint }: ZwarmError): string {
  return `zwarm: ${safeText(message)}\n${hint === null ? '' : `hint: ${safeText(hint)}\n`}`;
}
