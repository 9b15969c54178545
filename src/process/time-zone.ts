import { readlinkSync } from 'node:fs';

/** The time zone in which the clocks of a program run that gets this environment: a name of IANA, as far as is known. */
export function timeZoneIn(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['TZ']?.replace(/^:/, '') ?? '';
  if (named !== '') return named;
  try {
    const [, zone] = readlinkSync('/etc/localtime').split('/zoneinfo/');
    if (zone !== undefined) return zone;
  } catch {
    // A machine need not have one, and it need not be a link.
  }
  // Slow the first time, as it compares files.
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
