import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { killOne, type Model, showOne, type Worker, waitOne, walk } from './model.ts';
import { besideAReader, openPool, type Race } from './race.ts';

/*
 * Random walks: FUZZ_SEED chooses others, FUZZ_RUNS how many; without them they are the same each time.
 */

const WORKERS = 4;
const WALKS = Number(process.env['FUZZ_RUNS'] || 3);
const pool = openPool(WORKERS);

function createWorker({ place }: Race, k: number): Worker {
  let sent = 0;
  const name = `worker ${k}`;
  return {
    name,
    contender: pool.contender(k),
    place,
    message(word) {
      sent += 1;
      return `${word}\nmessage ${sent} of ${name}.`;
    },
  };
}

/** Lets every session come to its end: it is what the model says, and each agent ran as often as its turn says. */
async function checkEnd({ prompts }: Race, { sessions }: Model, worker: Worker): Promise<void> {
  for (const session of sessions.filter(({ removed }) => !removed)) {
    await killOne(session, worker);
    await waitOne(session, worker);
    await showOne(session, worker);
  }
  const ran = prompts();
  for (const { prompt, end } of sessions.flatMap(({ turns }) => turns)) {
    const count = ran.filter((text) => text === prompt).length;
    if (end?.status === 'killed') expect(count, prompt).toBeLessThanOrEqual(1);
    else expect(count, prompt).toBe(1);
  }
}

test(
  'whatever four users do at once, each session is what its own user made of it',
  { timeout: 60_000 + WALKS * 60_000 },
  () =>
    fc.assert(
      fc.asyncProperty(fc.tuple(...Array.from({ length: WORKERS }, () => walk(60))), (walks) =>
        besideAReader(pool, async (race) => {
          const ends = await Promise.allSettled(
            walks.map(async (commands, k) => {
              const model: Model = { sessions: [] };
              const worker = createWorker(race, k);
              await fc.asyncModelRun(() => ({ model, real: worker }), commands);
              await checkEnd(race, model, worker);
            }),
          );
          for (const end of ends) if (end.status === 'rejected') throw end.reason;
        }),
      ),
      // What real processes do cannot be repeated exactly: a shorter walk may fail by chance alone, or not at all.
      { seed: Number(process.env['FUZZ_SEED'] || 20_261_120), numRuns: WALKS, endOnFailure: true },
    ),
);
