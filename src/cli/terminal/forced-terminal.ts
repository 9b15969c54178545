import { usageError } from '../../core/errors.ts';

const COLUMNS = /^(1000|[1-9]\d\d|[2-9]\d)$/;

/**
 * The columns that `ZWARM_FORCE_TTY` gives stdout, so that a pipe gets what a terminal of that width would; null where it
 * is unset or empty. @throws ZwarmError `usage`
 */
export function forcedColumns(env: Readonly<Record<string, string | undefined>>): number | null {
  const given = env['ZWARM_FORCE_TTY'];
  if (!given) return null;
  if (COLUMNS.test(given)) return Number(given);
  const what = `ZWARM_FORCE_TTY: ${JSON.stringify(given)} is not a number of columns from 20 to 1000`;
  throw usageError(what, 'set ZWARM_FORCE_TTY=80, or unset it');
}
