import { spawnSync } from 'node:child_process';

/** How far the wall clock is ahead of the monotonic one, in milliseconds; exact to some microseconds. */
function difference(): number {
  let found = Number.NEGATIVE_INFINITY;
  // Whatever comes between the two readings, or is cut off by the first, makes it less.
  for (const end = performance.now() + 3; performance.now() < end; ) {
    found = Math.max(found, Date.now() - performance.now());
  }
  return found;
}

/** Sets the wall clock so that it is that far ahead of the monotonic one. @throws Error when it does not come close */
function setDifference(wanted: number): void {
  let error = Number.POSITIVE_INFINITY;
  // The time that passes until it is set: learnt from one attempt to the next.
  let lead = 1;
  for (let attempts = 0; Math.abs(error) > 1 && attempts < 100; attempts += 1) {
    const seconds = (performance.now() + wanted + lead) / 1000;
    spawnSync('date', ['-u', '-s', `@${seconds.toFixed(6)}`], { stdio: 'ignore' });
    error = difference() - wanted;
    if (Math.abs(error) < 1000) lead -= error / 2;
  }
  if (Math.abs(error) > 50) throw new Error(`the clock is ${Math.round(error)} ms off`);
}

/** Less than the time that a test may take: one that hangs ends only when the clock is right again. */
const LONGEST_MS = 120_000;

/** Sets the clock of the machine by so many milliseconds, does something, and puts it back, whatever came of it. */
export async function withClockSet<T>(ms: number, act: () => Promise<T>): Promise<T> {
  const before = difference();
  let limit: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(new Error('it hangs: the clock was put back')), LONGEST_MS);
  });
  try {
    setDifference(before + ms);
    return await Promise.race([act(), tooLong]);
  } finally {
    setDifference(before);
    clearTimeout(limit);
  }
}
