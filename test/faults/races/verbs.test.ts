import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { eventually, processesNaming } from '../../helpers/project.ts';
import { namesIn } from '../counting/verbs.ts';
import { claimedSession } from './claims.ts';
import { besideAReader, codesOf, openPool, type Race } from './race.ts';

// Verbs against one another, each in a process of its own. Who wins is chance; that one wins, and that the others say
// so, is not.

const pool = openPool(8);

/** A session that has had its first turn. */
async function rested({ manager }: Race, text: string): Promise<SessionId> {
  const { id } = await manager.start({ task: `quick\n${text}.` });
  expect(await manager.wait(id)).toBe('completed');
  return id;
}

const promptOf = ({ root }: Race, id: string, turn: number): string =>
  readFileSync(join(root, 'sessions', id, 'turns', String(turn), 'prompt.md'), 'utf8');

const runsOf = ({ prompts }: Race, message: string): number =>
  prompts().filter((text) => text === message).length;

/** Waits until no process bears the mark of a turn: the runner itself needs a moment after its last record. */
async function nothingLives(id: string, turn: number): Promise<void> {
  await eventually(
    `nothing of turn ${turn} of ${id} lives`,
    () => processesNaming(`@${id}.${turn}.`).length === 0,
  );
}

test('of eight injects at once one wins, its message is on the disk, and its agent ran once', () =>
  besideAReader(pool, async (race) => {
    const { manager, place, base, root } = race;
    const id = await rested(race, 'first');
    await race.rounds(12, async (i) => {
      const turn = i + 2;
      // It lasts until all have tried: afterwards another would win rightly.
      const gate = join(base, `gate-${i}`);
      const messages = Array.from({ length: 8 }, (_, k) => `gate ${gate}\nround ${i}, contender ${k}.`);
      const outcomes = await Promise.all(
        messages.map((message, k) => pool.contender(k).call(place, 'inject', id, message)),
      );
      const codes = codesOf(outcomes, ['ok', 'busy', 'lost_race']);
      expect(codes.filter((code) => code === 'ok')).toHaveLength(1);
      const winner = outcomes.findIndex(({ code }) => code === 'ok');
      expect(outcomes[winner]?.value).toEqual({
        id,
        turn,
        agent: 'codex',
        how: 'native',
        why: null,
        gone: [],
        pending: null,
      });
      expect(promptOf(race, id, turn)).toBe(messages[winner]);
      writeFileSync(gate, '');
      expect(await manager.wait(id)).toBe('completed');
      expect(messages.map((message) => runsOf(race, message))).toEqual(
        messages.map((_, k) => (k === winner ? 1 : 0)),
      );
    });
    expect(namesIn(root, 'sessions', id, 'turns')).toHaveLength(13);
    expect((await manager.get(id)).turns).toHaveLength(13);
  }));

test('of an inject and a clean one wins', () =>
  besideAReader(pool, async (race) => {
    const { manager, place, base, root } = race;
    await race.rounds(30, async (i) => {
      const id = await rested(race, `first of ${i}`);
      const gate = join(base, `gate-${i}`);
      const message = `gate ${gate}\nmore of ${i}.`;
      const injecting = pool.contender(i).call(place, 'inject', id, message);
      // It has less to do: it begins later, by up to what an inject does before its claim.
      await sleep(i % 8);
      const cleaned = await pool.contender(i + 1).call(place, 'clean', { olderThanMs: 0, dryRun: false });
      const injected = await injecting;
      codesOf([injected], ['ok', 'not_found', 'lost_race']);
      codesOf([cleaned], ['ok']);
      expect(cleaned.value?.removed).toEqual(injected.code === 'ok' ? [] : [id]);
      for (const { reason } of cleaned.value?.skipped ?? []) {
        expect(['pending', 'running', 'busy', 'lost_race']).toContain(reason);
      }
      if (injected.code === 'ok') {
        expect(promptOf(race, id, 2)).toBe(message);
        writeFileSync(gate, '');
        expect(await manager.wait(id)).toBe('completed');
        await manager.remove(id);
      }
      expect(runsOf(race, message)).toBe(injected.code === 'ok' ? 1 : 0);
      expect(namesIn(root, 'sessions')).toEqual([]);
      expect(namesIn(root, 'trash')).toEqual([]);
    });
  }));

test('an inject and a kill at once: what was killed is dead, what was not runs on', () =>
  besideAReader(pool, async (race) => {
    const { manager, place } = race;
    const sessions = [await rested(race, 'first'), await rested(race, 'first')];
    const both = async (i: number, id: SessionId, turn: number) => {
      // Every third one ends by itself, in the middle of the delays.
      const message = `${i % 3 === 2 ? 'nap 0.1' : 'hang'}\nround ${i}.`;
      const injecting = pool.contender(i).call(place, 'inject', id, message);
      await sleep((i * 250) / 29);
      const killed = await pool.contender(i + 1).call(place, 'kill', id, { graceMs: 2000 });
      codesOf([await injecting], ['ok']);
      codesOf([killed], ['ok', 'not_running']);
      if (killed.code !== 'ok' && message.startsWith('hang')) {
        // It came before the turn did, which runs on.
        expect((await manager.get(id)).status).toBe('running');
        codesOf([await pool.contender(i + 2).call(place, 'kill', id, { graceMs: 2000 })], ['ok']);
      }
      const status = await manager.wait(id);
      expect(status).toBe(killed.code === 'ok' || message.startsWith('hang') ? 'killed' : 'completed');
      await nothingLives(id, turn);
      expect((await manager.get(id)).turns.at(-1)).toMatchObject({ turn, status, prompt: message });
      const runs = runsOf(race, message);
      // An agent that was ended before it could log its run counts as none.
      if (status === 'completed') expect(runs).toBe(1);
      else expect(runs).toBeLessThanOrEqual(1);
    };
    await race.rounds(15, async (i) => {
      await Promise.all(sessions.map((id, k) => both(2 * i + k, id, i + 2)));
    });
  }));

test('four kills at once end everything, and none of them fails', () =>
  besideAReader(pool, async (race) => {
    const { manager, place } = race;
    await race.rounds(6, async (i) => {
      const message = `hang\nround ${i}.`;
      const { id } = await manager.start({ task: message });
      const kills = [0, 1, 2, 3].map((k) => pool.contender(i + k).call(place, 'kill', id, { graceMs: 2000 }));
      expect(codesOf(await Promise.all(kills), ['ok', 'not_running'])).toContain('ok');
      expect((await manager.get(id)).status).toBe('killed');
      await nothingLives(id, 1);
      expect(runsOf(race, message)).toBeLessThanOrEqual(1);
    });
  }));

test('three cleans at once remove each session once, one that never ran too, and leave nothing behind', () =>
  besideAReader(pool, async (race) => {
    const { manager, place, root } = race;
    await race.rounds(12, async (i) => {
      const ran = await rested(race, `first of ${i}`);
      const ids = [ran, claimedSession(race, `never ran in ${i}.`).id].sort();
      const cleans = await Promise.all(
        [0, 1, 2].map((k) => pool.contender(i + k).call(place, 'clean', { olderThanMs: 0, dryRun: false })),
      );
      codesOf(cleans, ['ok']);
      expect(cleans.flatMap(({ value }) => value?.removed ?? []).sort()).toEqual(ids);
      for (const { id, reason } of cleans.flatMap(({ value }) => value?.skipped ?? [])) {
        expect(ids).toContain(id);
        expect(['not_found', 'lost_race']).toContain(reason);
      }
      expect(await manager.list({ all: true })).toEqual([]);
      for (const directory of ['sessions', 'trash']) expect(namesIn(root, directory)).toEqual([]);
    });
  }));
