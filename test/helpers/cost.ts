/** Processor time of this process (ms), at the better of two tries: what others do at the time adds little to it. */
function costOf(act: () => unknown): number {
  const tries = [1, 2].map(() => {
    const before = process.cpuUsage();
    act();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...tries);
}

/** What costs less than this (ms) is not compared: the clock of the processor is too coarse for it. */
const LEAST = 10;

/** How many times as much processor time `more` takes as `less`, on whatever machine. */
export function timesAsLong(more: () => unknown, less: () => unknown): number {
  return Math.max(costOf(more), LEAST) / Math.max(costOf(less), LEAST);
}
