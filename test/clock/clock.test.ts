import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { SessionId } from '../../src/core/ids.ts';
import { ownIdentity } from '../../src/process/identity.ts';
import { createSession } from '../../src/store/claim.ts';
import { capability, testAsRoot } from '../helpers/as-root.ts';
import {
  createShellProject,
  eventually,
  type Project,
  processesBelow,
  watchesFiles,
} from '../helpers/project.ts';
import { RECORD, requestOf, storeOf } from '../helpers/store.ts';

/* The clock of this machine is really set, by two hours, while agents run: for as short as possible. */

const HOUR_MS = 3_600_000;
const LAUNCHED_BY_NOBODY = 'abcdefghjk' as SessionId;

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
async function withClockSet<T>(ms: number, act: () => Promise<T>): Promise<T> {
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

/** A session whose first turn was claimed just now by a command that died before it launched anything. */
function claimAndDie(project: Project): void {
  const store = storeOf(project.state, project.directory);
  const claimer = { ...ownIdentity(), start: '1' };
  const request = { ...requestOf('nonce'), claimer, at: new Date().toISOString() };
  const record = { ...RECORD, working_dir: project.directory };
  const claim = { request, prompt: Buffer.from('never') };
  createSession({
    store,
    id: LAUNCHED_BY_NOBODY,
    record,
    names: [],
    claims: [claim],
    copies: [],
    unique: 'test',
  });
}

for (const hours of [2, -2]) {
  testAsRoot(
    `the clock is set by ${hours} hours: what runs runs, waits are as long as they should be, nothing is deleted`,
    async () => {
      const project = createShellProject();
      const json = async (...argv: string[]) => JSON.parse(await project.ok([...argv, '--json']));
      const old = await project.ended(['quick']);
      const [gated, stubborn] = [await project.begin('gate ../gate'), await project.begin('stubborn')];
      const waits = (): number => processesBelow(project.base).filter((pid) => watchesFiles(pid)).length;
      const long = project.asProcess(['wait', gated, '--timeout', '1h']);
      await eventually('it is waited for', () => waits() === 1);
      let over = false;
      const short = project.asProcess(['wait', stubborn, '--timeout', '1s']).finally(() => {
        over = true;
      });
      await eventually('it is waited for, too', () => over || waits() === 2);
      const { pid } = await json('show', gated);
      claimAndDie(project);

      await withClockSet(hours * HOUR_MS, async () => {
        expect.soft(await json('show', gated)).toMatchObject({ status: 'running', pid });
        const running = (await project.ok(['ls', '-q', '--status', 'running'])).split('\n');
        expect.soft(running.sort()).toEqual([gated, stubborn].sort());
        // Neither for two hours nor at all: its launcher is dead, and the claim is not of this moment.
        expect.soft((await json('show', LAUNCHED_BY_NOBODY)).status).toBe('lost');
        // What ended before is two hours old or from the future, by this clock.
        expect.soft((await json('clean', '--days', hours > 0 ? '1' : '0')).removed).toEqual([]);
        expect.soft((await short).code).toBe(124);
        expect.soft((await json('kill', stubborn, '--grace', '0.2s'))[0]).toMatchObject({ status: 'killed' });
        expect.soft(await json('start', '--wait', 'quick')).toMatchObject({ status: 'completed' });
        writeFileSync(join(project.base, 'gate'), '');
        expect.soft(await long).toMatchObject({ code: 0, stdout: `${gated} completed\n` });
      });

      const rows = await project.list(['--all']);
      expect(Math.min(...rows.map(({ duration_ms }) => duration_ms ?? 0))).toBeGreaterThanOrEqual(0);
      const ran = rows.find(({ id }) => id === gated);
      expect(ran).toMatchObject({ status: 'completed', exit_code: 0 });
      // Whatever the clock says: not by the clock.
      expect(ran?.duration_ms).toBeGreaterThan(0);
      expect(ran?.duration_ms).toBeLessThan(HOUR_MS);
      const { removed } = await json('clean', '--days', '0');
      expect(removed).toContain(old);
      expect(removed.includes(gated)).toBe(hours < 0);
    },
    capability('SYS_TIME'),
  );
}
