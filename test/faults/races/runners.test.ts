import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { claimedSession, claimedTurn, startRunner } from './claims.ts';
import { besideAReader, codesOf, openPool } from './race.ts';

/*
 * Turn runners against one another, and against a verb that takes their launch for dead.
 */

const pool = openPool(2);

test('of six runners on one turn one runs the agent, and the others leave silently', () =>
  besideAReader(pool, async (race) => {
    const { manager, prompts, root } = race;
    await race.rounds(10, async (i) => {
      const message = `quick\nround ${i}.`;
      const claimed = claimedSession(race, message, 'us');
      const ends = await Promise.all(Array.from({ length: 6 }, () => startRunner(race, claimed)));
      expect(ends).toEqual(Array(6).fill('the turn runner ended with exit code 0'));
      expect(prompts().filter((text) => text === message)).toHaveLength(1);
      expect(await manager.get(claimed.id)).toMatchObject({ status: 'completed', exit_code: 0 });
      const turn = join(root, 'sessions', claimed.id, 'turns', '1');
      expect(readFileSync(join(turn, 'events.jsonl'), 'utf8').split('\n')).toHaveLength(4);
      expect(readFileSync(join(turn, 'stderr.log'), 'utf8')).toBe('');
    });
  }));

test('of a runner that comes late and an inject that declares its launch dead at most one runs its agent', () =>
  besideAReader(
    pool,
    async (race) => {
      const { manager, place, prompts, base } = race;
      const runs = (message: string): number => prompts().filter((text) => text === message).length;
      const { id } = await manager.start({ task: 'quick\nfirst.' });
      expect(await manager.wait(id)).toBe('completed');
      let turn = 2;
      await race.rounds(20, async (i) => {
        // It lasts until the inject has returned: afterwards that would win rightly.
        const gate = join(base, `gate-${i}`);
        const late = `gate ${gate}\nlate in round ${i}.`;
        const next = `quick\nnext in round ${i}.`;
        const claimed = claimedTurn(race, id, turn, late, 'the dead');
        // Either may begin first, by a moment that is shorter than what it does.
        const running = sleep(i % 4).then(() => startRunner(race, claimed));
        const injected = await pool.contender(i).call(place, 'inject', id, next);
        writeFileSync(gate, '');
        await running;
        codesOf([injected], ['ok', 'busy']);
        const ran = runs(late) === 1;
        expect(await manager.wait(id)).toBe(injected.code === 'ok' || ran ? 'completed' : 'lost');
        expect(runs(next)).toBe(injected.code === 'ok' ? 1 : 0);
        expect(runs(late)).toBeLessThanOrEqual(injected.code === 'ok' ? 0 : 1);
        const { turns } = await manager.get(id);
        expect(turns[turn - 1]).toMatchObject({ prompt: late, status: ran ? 'completed' : 'lost' });
        turn = turns.length + 1;
      });
    },
    { late: true },
  ));

test('a runner that comes when its launch was taken for dead runs nothing', () =>
  besideAReader(
    pool,
    async (race) => {
      const { manager, prompts } = race;
      const { id } = await manager.start({ task: 'quick\nfirst.' });
      expect(await manager.wait(id)).toBe('completed');
      const late = 'quick\ntoo late.';
      const claimed = claimedTurn(race, id, 2, late, 'the dead');
      await manager.inject(id, 'quick\nnext.');
      expect(await manager.wait(id)).toBe('completed');
      await startRunner(race, claimed);
      expect(prompts()).not.toContain(late);
      expect((await manager.get(id)).turns.map(({ status }) => status)).toEqual([
        'completed',
        'lost',
        'completed',
      ]);
    },
    { late: true },
  ));
