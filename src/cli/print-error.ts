import type { ZwarmError } from '../core/errors.ts';
import { renderJson } from '../render/json.ts';
import { safeText } from '../render/safe-text.ts';
import type { CliContext } from './context.ts';

/** An error for people: what went wrong, and what to do about it. */
export function errorText({ message, hint }: ZwarmError): string {
  const advice = hint === null ? '' : `hint: ${safeText(hint)}\n`;
  return `zwarm: ${safeText(message)}\n${advice}`;
}

/** Prints the error that ended a verb, as JSON for `--json`. Loads nothing: perhaps no file can be opened any more. */
export function printError(
  error: ZwarmError,
  argv: readonly string[],
  { stderr, env }: Pick<CliContext, 'stderr' | 'env'>,
): void {
  const { code, message, hint } = error;
  const end = argv.indexOf('--');
  const json = argv.slice(0, end < 0 ? undefined : end).includes('--json');
  stderr.write(json ? renderJson({ error: { code, message, hint } }) : errorText(error));
  if (env['ZWARM_DEBUG']) {
    const cause = error.cause instanceof Error ? error.cause : error;
    stderr.write(`${safeText(cause.stack ?? cause.message)}\n`);
  }
}
