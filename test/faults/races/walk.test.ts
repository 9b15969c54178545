import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Command, killOne, type Model, showOne, type Worker, waitOne, walk } from './model.ts';
import { besideAReader, openPool, type Race } from './race.ts';

/*
 * Random walks: FUZZ_SEED chooses others, FUZZ_RUNS how many; without them they are the same each time.
 */

const WORKERS = 4;
const WALKS = Number(process.env['FUZZ_RUNS'] || 2);
const pool = openPool(WORKERS);

function createWorker({ place }: Race, k: number): Worker {
  let sent = 0;
  return {
    contender: pool.contender(k),
    place,
    message(word) {
      sent += 1;
      return `${word}\nmessage ${sent} of worker ${k}.`;
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

/** The verbs that a walk may do. */
const KINDS = ['start', 'inject', 'kill', 'wait', 'show', 'remove', 'settle', 'list', 'clean'];
/** How often each of them was done, in all walks: one that does not fit is left out of a walk. */
const done = new Map(KINDS.map((kind) => [kind, 0]));

function* counted(commands: Iterable<Command>): Iterable<Command> {
  for (const command of commands) {
    const kind = /^\w+/.exec(command.toString())?.[0] ?? '';
    yield {
      check: (model) => command.check(model),
      run(model, worker) {
        done.set(kind, (done.get(kind) ?? 0) + 1);
        return command.run(model, worker);
      },
      toString: () => command.toString(),
    };
  }
}

test('whatever four users do at once, each session is what its own user made of it', {
  timeout: 60_000 + WALKS * 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(...Array.from({ length: WORKERS }, () => walk(60))), (walks) =>
      besideAReader(pool, async (race) => {
        const ends = await Promise.allSettled(
          walks.map(async (commands, k) => {
            const model: Model = { sessions: [] };
            const worker = createWorker(race, k);
            await fc.asyncModelRun(() => ({ model, real: worker }), counted(commands));
            await checkEnd(race, model, worker);
          }),
        );
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      }),
    ),
    // What real processes do cannot be repeated exactly: a shorter walk may fail by chance alone, or not at all.
    { seed: Number(process.env['FUZZ_SEED'] || 20_261_120), numRuns: WALKS, endOnFailure: true },
  );
  expect([...done.keys()]).toEqual(KINDS);
  // A few walks of another seed may leave something out.
  if (process.env['FUZZ_SEED'] !== undefined) return;
  for (const [kind, count] of done) expect(count, kind).toBeGreaterThan(0);
  const all = [...done.values()].reduce((sum, count) => sum + count, 0);

  expect(all, 'what was done').toBeGreaterThanOrEqual(75 * WALKS);
});
