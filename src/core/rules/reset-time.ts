/*
 * When a limit ends, as agents say it in words: "try again at Mar 17th, 2030 5:46 PM." or "in 4 days 3 hours", "resets 3pm
 * (Europe/Berlin)", "limit reached|1760000000"; as providers do: "try again in 1.5s".
 */

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };

/** What is told in minutes may be this one, which has begun. */
const MINUTE_MS = 60_000;

/** No limit is longer: what is said to be was not understood. */
const LONGEST_MS = 2000 * 86_400_000;

const SECONDS = /(?:\||resets_at"?:\s*)(\d{10})\b/;
const SPAN_OF = String.raw`\d+(?:\.\d+)?\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b`;
const SPAN = new RegExp(String.raw`\b(?:in|after)\s+((?:${SPAN_OF}[\s,]*(?:and\s+)?)+)`, 'i');
const DATE = String.raw`([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?(?:,|\s+at)?\s+`;
const CLOCK = String.raw`(\d{1,2})(?::(\d\d))?\s*([ap])\.?m\b|(\d{1,2}):(\d\d)`;
const MOMENT = new RegExp(
  String.raw`\b(?:at|resets?|until)\s+(?:at\s+)?(?:${DATE})?(?:${CLOCK})(?:\s*\(([\w/+-]+)\))?`,
  'i',
);

/** A date and a time of day, as a clock on the wall shows it. */
interface Wall {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  readonly day: number;
  readonly minutes: number;
}

/** What a clock in a time zone shows at a time (ms since the epoch). @throws RangeError for an unknown zone */
function wallAt(ms: number, zone: string): Wall {
  const fields = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...fields });
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    year: of('year'),
    month: of('month') - 1,
    day: of('day'),
    minutes: of('hour') * 60 + of('minute'),
  };
}

const asUtc = ({ year, month, day, minutes }: Wall): number => Date.UTC(year, month, day, 0, minutes);

/** When a clock in a time zone shows that; of a time that the clock skips, as much later. */
function timeOf(wall: Wall, zone: string): number {
  const shown = asUtc(wall);
  const offset = (ms: number): number => asUtc(wallAt(ms, zone)) - ms;
  const first = shown - offset(shown);
  const second = shown - offset(first);
  return asUtc(wallAt(second, zone)) === shown ? second : Math.max(first, second);
}

function spanMs(words: string): number {
  const parts = [...words.matchAll(/(\d+(?:\.\d+)?)\s*([dhms])/gi)];
  return parts.reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit.toLowerCase()] ?? 0),
    0,
  );
}

function minutesOf(hour: string, minute: string | undefined, half: string | undefined): number | null {
  const [hours, minutes] = [Number(hour), Number(minute ?? 0)];
  if (minutes > 59 || hours > (half === undefined ? 23 : 12)) return null;
  const isAfternoon = half?.toLowerCase() === 'p';
  return (half === undefined ? hours : (hours % 12) + (isAfternoon ? 12 : 0)) * 60 + minutes;
}

function momentOf(message: string, fromMs: number, zone: string): number | null {
  const found = MOMENT.exec(message);
  if (found === null) return null;
  const [, name, day, year, twelve, minute, half, hour, exact, named = zone] = found;
  const minutes = minutesOf(twelve ?? hour ?? '', minute ?? exact, half);
  if (minutes === null) return null;
  const now = wallAt(fromMs, named);
  if (name === undefined) {
    const today = timeOf({ ...now, minutes }, named);
    return today > fromMs - MINUTE_MS ? today : timeOf({ ...now, day: now.day + 1, minutes }, named);
  }
  const month = MONTHS.indexOf(name.toLowerCase());
  if (month < 0) return null;
  const date = { year: Number(year ?? now.year), month, day: Number(day), minutes };
  const then = timeOf(date, named);
  return year === undefined && then <= fromMs ? timeOf({ ...date, year: date.year + 1 }, named) : then;
}

/**
 * When a limit ends that a message names (ms since the epoch), or null where it names no time or none that can be. It is
 * relative to `fromMs`, when it was said, and to `zone`, the time zone of who said it: a name of IANA, or null.
 */
export function resetTime(message: string, fromMs: number, zone: string | null): number | null {
  const span = SPAN.exec(message)?.[1];
  const seconds = SECONDS.exec(message)?.[1];
  let ms: number | null;
  try {
    if (seconds !== undefined) ms = Number(seconds) * 1000;
    else ms = span === undefined ? momentOf(message, fromMs, zone ?? 'UTC') : fromMs + spanMs(span);
  } catch (error) {
    // A time zone that nobody knows.
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
  return ms !== null && ms > fromMs - MINUTE_MS && ms <= fromMs + LONGEST_MS ? ms : null;
}
