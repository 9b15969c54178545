/** What a turn may take until it is stopped: seconds, seconds without a sign of work, and bytes that its agent prints. */
export interface RunLimits {
  readonly max_time_s: number | null;
  readonly max_silence_s: number | null;
  readonly max_log_bytes: number | null;
}

export const RUN_LIMITS = ['max_time_s', 'max_silence_s', 'max_log_bytes'] as const;
export type RunLimit = (typeof RUN_LIMITS)[number];

/** A limit that a turn has reached. */
export interface Breach {
  /** A `RunLimit`, or the word of a newer zwarm. */
  readonly name: string;
  readonly allowed: number;
  readonly observed: number;
}

/** Limits with some of them set anew; null where none is left. */
export function withLimits(limits: RunLimits | null, set: Partial<RunLimits>): RunLimits | null {
  const all = Object.fromEntries(RUN_LIMITS.map((name) => [name, set[name] ?? limits?.[name] ?? null]));
  return RUN_LIMITS.every((name) => all[name] === null) ? null : (all as unknown as RunLimits);
}

function span(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const words = parts.flatMap((n, i) => (n === 0 ? [] : [`${n}${'hms'[i]}`]));
  return words.join(' ') || '0s';
}

/** Why a turn was stopped, in words, and how it goes on; in the hint `ID` stands for the id of the session. */
export function breachWords({ name, allowed, observed }: Breach): { message: string; hint: string } {
  const go = (option: string, more: string): string =>
    `to go on with more: zwarm inject ID ${option} ${more} "go on"`;
  switch (name) {
    case 'max_time_s':
      return {
        message: `it was stopped after ${span(observed)}: --max-time allows ${span(allowed)}`,
        hint: go('--max-time', span(2 * allowed).replaceAll(' ', '')),
      };
    case 'max_silence_s':
      return {
        message: `it was stopped after ${span(observed)} in which it said and did nothing: --max-silence allows ${span(allowed)}`,
        hint: 'see what it was doing: zwarm show ID; then: zwarm inject ID "go on"',
      };
    case 'max_log_bytes':
      return {
        message: `it was stopped when it had printed ${observed} bytes: --max-log allows ${allowed}`,
        hint: go('--max-log', String(2 * allowed)),
      };
    default:
      return {
        message: `it was stopped at its limit ${name}: ${observed}, where ${allowed} is allowed`,
        hint: 'see what it did: zwarm show ID; then: zwarm inject ID "go on"',
      };
  }
}
