import { copyFileSync, cpSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Contender, type Outcome, type Place, startContender } from '../../helpers/contenders.ts';
import { repositoryFile } from '../../helpers/project.ts';
import { createScene, type Scene } from '../counting/scene.ts';

/** The contenders of a test file. */
type Pool = ReturnType<typeof openPool>;

/** Starts `size` contenders and a reader. Their zwarm has no command line, which saves a Node to settle each turn. */
export function openPool(size: number) {
  let installed = '';
  let reader: Contender;
  let contenders: Contender[] = [];
  const start = (): Promise<Contender> => startContender(join(installed, 'dist', 'index.js'));
  beforeAll(async () => {
    installed = realpathSync(mkdtempSync(join(tmpdir(), 'zwarm-races-')));
    mkdirSync(join(installed, 'bin'));
    cpSync(repositoryFile('dist'), join(installed, 'dist'), { recursive: true });
    for (const file of [
      'package.json',
      'bin/compiled.js',
      'bin/load.js',
      'bin/make-window.sh',
      'bin/package.json',
      'bin/turn-runner.sh',
    ]) {
      copyFileSync(repositoryFile(file), join(installed, file));
    }
    [reader, ...contenders] = await Promise.all([start(), ...Array.from({ length: size }, start)]);
  });
  afterAll(async () => {
    await Promise.all([reader, ...contenders].map((contender) => contender.kill()));
    await rm(installed, { recursive: true, force: true, maxRetries: 20 });
  });
  return {
    /** The n-th of them; they go round. */
    contender: (n: number) => contenders[n % size] as Contender,
    /** The one that reads beside every race. */
    reader: () => reader,
  };
}

/** The project of one race. */
export interface Race extends Scene {
  readonly place: Place;
  /** Does something `count` times; the reader reads everything as often, or more. */
  rounds(count: number, round: (i: number) => Promise<void>): Promise<void>;
}

/** Runs a race in a project of its own while a reader lists and shows everything beside it, without one error. */
export async function besideAReader(
  pool: Pool,
  run: (race: Race) => Promise<void>,
  options?: Parameters<Contender['watch']>[1],
): Promise<void> {
  const scene = createScene();
  const place = { cwd: scene.directory, env: scene.env };
  const watch = pool.reader().watch(place, options);
  const rounds: Race['rounds'] = async (count, round) => {
    const read = watch.passed(count);
    for (let i = 0; i < count; i += 1) {
      try {
        await round(i);
      } catch (error) {
        throw new Error(`round ${i}: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
    }
    await read;
  };
  try {
    await run({ ...scene, place, rounds });
    // From here on nothing changes: another two hold a whole reading of what was left.
    await watch.passed(2);
    expect((await watch.stop()).errors).toEqual([]);
  } finally {
    await watch.stop();
    await scene.end();
  }
}

/** The codes of some outcomes, sorted; with the messages of those that no verb may give here. */
export function codesOf(outcomes: readonly Outcome<unknown>[], allowed: readonly string[]): string[] {
  const wrong = outcomes.filter(({ code }) => !allowed.includes(code));
  expect(wrong, `only ${allowed.join(', ')} is allowed`).toEqual([]);
  return outcomes.map(({ code }) => code).sort();
}
