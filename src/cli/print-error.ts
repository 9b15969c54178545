import type { ZwarmError } from '../core/errors.ts';
import { renderJson } from '../render/json.ts';
import { safeText } from '../render/safe-text.ts';
import type { CliContext } from './context.ts';

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

/** An error for people: what went wrong, and what to do about it. */
export function errorText({ message, hint }: Pick<ZwarmError, 'message' | 'hint'>): string {
  const advice = hint === null ? '' : `hint: ${safeText(hint)}\n`;
  return `zwarm: ${safeText(message)}\n${advice}`;
}

/**
 * Prints the error that ended a verb, as JSON for `--json`. Loads nothing, so that it can also say that no file can be
 * opened any more.
 */
export function printError(
  error: ZwarmError,
  argv: readonly string[],
  { stderr, env }: Pick<CliContext, 'stderr' | 'env'>,
): void {
  const { code, message, hint } = error;
  stderr.write(wantsJson(argv) ? renderJson({ error: { code, message, hint } }) : errorText(error));
  if (env['ZWARM_DEBUG']) {
    const cause = error.cause instanceof Error ? error.cause : error;
    stderr.write(`${safeText(cause.stack ?? cause.message)}\n`);
  }
}
