import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { claimedTurn, startRunner } from './claims.ts';
import { besideAReader, codesOf, openPool } from './race.ts';

const pool = openPool(2);

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
        const claimed = claimedTurn(race, id, turn, late);
        // Either may begin first, by a moment that is shorter than what it does; each fifth runner comes afterwards.
        const after = i % 5 === 4;
        const injecting = pool.contender(i).call(place, 'inject', id, next);
        const running = (after ? injecting : sleep(i % 4)).then(() => startRunner(race, claimed));
        const injected = await injecting;
        writeFileSync(gate, '');
        await running;
        codesOf([injected], after ? ['ok'] : ['ok', 'busy']);
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
