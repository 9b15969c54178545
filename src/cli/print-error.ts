import type { ZwarmError } from '../core/errors.ts';
import { renderJson } from '../render/json.ts';
import { safeText } from '../render/safe-text.ts';
import type { CliContext } from './context.ts';

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

/**
 * Prints an error in one form for all of them, as JSON for `--json`. Loads nothing: when the descriptors have run out,
 * that must still be said.
 */
export function printError(
  error: ZwarmError,
  argv: readonly string[],
  { stderr, env }: Pick<CliContext, 'stderr' | 'env'>,
): void {
  const { code, message, hint } = error;
  if (wantsJson(argv)) {
    stderr.write(renderJson({ error: { code, message, hint } }));
  } else {
    const advice = hint === null ? '' : `hint: ${safeText(hint)}\n`;
    stderr.write(`zwarm: ${safeText(message)}\n${advice}`);
  }
  if (env['ZWARM_DEBUG']) {
    const cause = error.cause instanceof Error ? error.cause : error;
    stderr.write(`${safeText(cause.stack ?? cause.message)}\n`);
  }
}
