import { readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isSessionId, type SessionId } from '../../../src/core/ids.ts';
import type { TurnStatus } from '../../../src/core/status.ts';
import type { Contender, Outcome } from '../../helpers/contenders.ts';
import { eventually, processesWith } from '../../helpers/project.ts';
import { besideAReader, codesOf, openPool, type Race } from './race.ts';

/*
 * A command that is killed when its claim has shown itself, or a moment later: the message is safe by then, and
 * whether its agent runs is for the next milliseconds to decide.
 */

const pool = openPool(1);

/** A turn whose commander was killed. */
interface Orphan {
  readonly id: SessionId;
  readonly turn: number;
  readonly message: string;
  /** Whether the commander had said that it was done. */
  readonly acknowledged: boolean;
}

/** Resolves with the name of the first entry of a directory that fits. */
function firstEntry(directory: string, fits: (name: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    const watcher = watch(directory, (_, name) => {
      if (name === null || !fits(name)) return;
      watcher.close();
      resolve(name);
    });
  });
}

/** Lets a new commander do something and kills it `ms` milliseconds after its claim; that, and whether it was done. */
async function killedAfter(
  claim: Promise<string>,
  ms: number,
  act: (commander: Contender) => Promise<Outcome<unknown>>,
): Promise<{ claimed: string; acknowledged: boolean }> {
  const commander = await pool.another();
  const acting = act(commander);
  const refused = acting.then(({ code, message }) => {
    if (code !== 'ok' && code !== 'died') throw new Error(`it claimed nothing: ${code} ${message}`);
    return claim;
  });
  const claimed = await Promise.race([claim, refused]);
  if (ms > 0) await sleep(ms);
  await commander.kill();
  return { claimed, acknowledged: (await acting).code === 'ok' };
}

async function startKilled({ root, place }: Race, message: string, ms: number): Promise<Orphan> {
  const claim = firstEntry(join(root, 'sessions'), isSessionId);
  const { claimed, acknowledged } = await killedAfter(claim, ms, (commander) =>
    commander.call(place, 'start', { task: message }),
  );
  return { id: claimed as SessionId, turn: 1, message, acknowledged };
}

async function injectKilled({ manager, root, place }: Race, message: string, ms: number): Promise<Orphan> {
  const { id } = await manager.start({ task: `quick\nbefore ${message}` });
  expect(await manager.wait(id)).toBe('completed');
  const claim = firstEntry(join(root, 'sessions', id, 'turns'), (name) => name === '2');
  const { acknowledged } = await killedAfter(claim, ms, (commander) =>
    commander.call(place, 'inject', id, message),
  );
  return { id, turn: 2, message, acknowledged };
}

/** Waits until a turn says what is true of it: it ran, it runs, or it never will. */
async function truthOf({ manager, prompts }: Race, { id, turn, message }: Orphan): Promise<TurnStatus> {
  return eventually(`the status of turn ${turn} of ${id} is true`, async () => {
    const status = (await manager.get(id)).turns[turn - 1]?.status;
    if (status === 'pending') return false;
    const runs = prompts().filter((text) => text === message).length;
    const lives = processesWith(`@${id}.${turn}.`).length > 0;
    expect(runs).toBeLessThanOrEqual(1);
    if (status === 'completed') return message.startsWith('quick') && runs === 1 && status;
    if (status === 'running') return message.startsWith('hang') && runs === 1 && lives && status;
    return status === 'lost' && runs === 0 && !lives && status;
  });
}

test('a commander killed at its claim or just after leaves its message, and a turn that ran once or never will', () =>
  besideAReader(
    pool,
    async (race) => {
      const { manager, root, prompts } = race;
      const orphans: Orphan[] = [];
      await race.rounds(9, async (i) => {
        const message = (verb: string) => `${i % 2 === 0 ? 'quick' : 'hang'}\n${verb} in round ${i}.`;
        const ms = (i * 20) / 8;
        orphans.push(await injectKilled(race, message('inject'), ms));
        orphans.push(await startKilled(race, message('start'), ms));
      });
      expect(new Set(orphans.map(({ id }) => id)).size).toBe(18);
      for (const orphan of orphans) {
        const { id, turn, message, acknowledged } = orphan;
        expect(readFileSync(join(root, 'sessions', id, 'turns', String(turn), 'prompt.md'), 'utf8')).toBe(
          message,
        );
        const status = await truthOf(race, orphan);
        if (acknowledged) expect(status).not.toBe('lost');
        if (status === 'running') {
          codesOf([await pool.contender(0).call(race.place, 'kill', id, { graceMs: 2000 })], ['ok']);
          await eventually('nothing of it lives', () => processesWith(`@${id}.${turn}.`).length === 0);
        }
        const next = await pool.contender(0).call(race.place, 'inject', id, `quick\nnext after ${message}`);
        codesOf([next], ['ok']);
        expect(await manager.wait(id)).toBe('completed');
        const ran = prompts().filter((text) => text === message).length;
        expect(ran, message).toBe(status === 'lost' ? 0 : 1);
      }
      const { removed, skipped } = await manager.clean({ olderThanMs: 0, dryRun: false });
      expect(skipped).toEqual([]);
      expect(removed).toHaveLength(18);
    },
    { late: true },
  ));
