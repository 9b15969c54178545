import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { claimTombstone, claimTurn } from '../../../src/store/claim.ts';
import { readPrompt, readRequest, readSessionRecord } from '../../../src/store/sessions.ts';
import { repositoryFile } from '../../helpers/project.ts';
import {
  addSession,
  createEmptyStore,
  createStoredSession,
  ID,
  RECORD,
  requestOf,
  turnIn,
} from '../../helpers/store.ts';

const lostRace = expect.objectContaining({ code: 'lost_race', exitCode: 4 });
const turnsOf = (root: string): string[] => readdirSync(join(root, 'sessions', ID, 'turns')).sort();

test('a new session is complete, ours alone, and leaves nothing half built', () => {
  const store = createStoredSession();
  const { root } = store;
  expect(readdirSync(join(root, 'sessions'))).toEqual([ID]);
  expect(readSessionRecord({ store, id: ID })).toEqual(RECORD);
  expect(readRequest(turnIn(root, 1))).toEqual(requestOf('first'));
  expect(readPrompt(turnIn(root, 1))?.toString()).toBe('say hello');
  const turn = join(root, 'sessions', ID, 'turns', '1');
  expect(readdirSync(turn).sort()).toEqual(['events.jsonl', 'prompt.md', 'request.json', 'stderr.log']);
  for (const file of readdirSync(turn)) expect(statSync(join(turn, file)).mode & 0o777).toBe(0o600);
  for (const directory of [turn, join(turn, '..'), root]) {
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  }
});

test('a marker has no prompt and no streams', () => {
  const { root } = createStoredSession();
  claimTurn(turnIn(root, 2), { request: { ...requestOf('mark'), kind: 'tombstone' }, prompt: null });
  expect(readdirSync(join(root, 'sessions', ID, 'turns', '2'))).toEqual(['request.json']);
  expect(readPrompt(turnIn(root, 2))).toBeNull();
});

test('any bytes are a prompt, also none', () => {
  const { root } = createStoredSession();
  const prompts = [Buffer.from([0, 255, 10, 13]), Buffer.alloc(0), Buffer.alloc(300_000, 'x')];
  for (const [i, prompt] of prompts.entries()) {
    claimTurn(turnIn(root, i + 2), { request: requestOf(`n${i}`), prompt });
    expect(readPrompt(turnIn(root, i + 2))?.equals(prompt)).toBe(true);
  }
});

test('an id that is taken is refused, and the session that has it stays whole', () => {
  const store = createStoredSession();
  const { root } = store;
  const again = (): void => addSession(store, ID, { record: { task: 'other' }, name: 'other' });
  expect(again).toThrow(lostRace);
  expect(readSessionRecord({ store, id: ID })).toEqual(RECORD);
  expect(readdirSync(join(root, 'sessions'))).toEqual([ID]);
  expect(readdirSync(join(root, 'names'))).toEqual([]);
});

test('a turn number that is taken is refused, and nothing is written', () => {
  const { root } = createStoredSession();
  const claim = { request: requestOf('late'), prompt: Buffer.from('late') };
  expect(() => claimTurn(turnIn(root, 1), claim)).toThrow(lostRace);
  expect(turnsOf(root)).toEqual(['1']);
  expect(readPrompt(turnIn(root, 1))?.toString()).toBe('say hello');
});

test('a claim into a session that was removed fails and does not bring it back', () => {
  const { root } = createStoredSession();
  rmSync(join(root, 'sessions', ID), { recursive: true });
  expect(() => claimTurn(turnIn(root, 2), { request: requestOf('x'), prompt: null })).toThrow(
    expect.objectContaining({ code: 'not_found', exitCode: 3 }),
  );
  expect(existsSync(join(root, 'sessions', ID))).toBe(false);
});

test('a file in the place of a turn is not overwritten', () => {
  const { root } = createStoredSession();
  writeFileSync(join(root, 'sessions', ID, 'turns', '2'), 'planted');
  expect(() => claimTurn(turnIn(root, 2), { request: requestOf('x'), prompt: null })).toThrow();
  expect(readFileSync(join(root, 'sessions', ID, 'turns', '2'), 'utf8')).toBe('planted');
  expect(turnsOf(root)).toEqual(['1', '2']);
});

test('an empty directory that somebody left at the number is no claim', () => {
  const { root } = createStoredSession();
  mkdirSync(join(root, 'sessions', ID, 'turns', '2'));
  claimTurn(turnIn(root, 2), { request: requestOf('x'), prompt: null });
  expect(readRequest(turnIn(root, 2)).nonce).toBe('x');
});

test('eight processes race for one number, twenty times: exactly one wins, the others leave nothing', async () => {
  const { root } = createStoredSession();
  const rounds = 20;
  // Every process claims the same numbers in the same order, beginning when the starting file appears.
  const script = `
    import { existsSync } from 'node:fs';
    import { claimTombstone, claimTurn } from './claim.mjs';
    const [root, id, name, request] = process.argv.slice(2);
    process.stdout.write('ready\\n');
    while (!existsSync(root + '/go'));
    for (let turn = 2; turn < ${rounds + 2}; turn += 1) {
      try {
        claimTurn({ store: { root }, id, turn }, { request: { ...JSON.parse(request), nonce: name + turn }, prompt: Buffer.from(name) });
        process.stdout.write(turn + '\\n');
      } catch (error) {
        if (error.code !== 'lost_race') throw error;
      }
    }`;
  const { build } = await import('esbuild');
  const bundle = join(root, '..', 'claim.mjs');
  await build({
    entryPoints: [repositoryFile('src/store/claim.ts')],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const racer = join(root, '..', 'racer.mjs');
  writeFileSync(racer, script);

  const racers = Array.from({ length: 8 }, (_, i) => {
    const args = [racer, root, ID, `p${i}x`, JSON.stringify(requestOf(''))];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    const ready = new Promise<void>((resolve) => {
      child.stdout.on('data', (text) => {
        printed += text;
        resolve();
      });
    });
    const ended = new Promise<{ name: string; code: number | null; won: string[] }>((resolve) => {
      child.once('close', (code) =>
        resolve({ name: `p${i}x`, code, won: printed.trim().split('\n').slice(1) }),
      );
    });
    return { ready, ended };
  });
  await Promise.all(racers.map(({ ready }) => ready));
  writeFileSync(join(root, 'go'), '');
  const results = await Promise.all(racers.map(({ ended }) => ended));

  expect(results.map(({ code }) => code)).toEqual(new Array(8).fill(0));
  const numbers = Array.from({ length: rounds }, (_, i) => String(i + 2));
  expect(results.flatMap(({ won }) => won).sort()).toEqual([...numbers].sort());
  for (const { name, won } of results) {
    for (const turn of won) {
      expect(readPrompt(turnIn(root, Number(turn)))?.toString()).toBe(name);
      expect(readRequest(turnIn(root, Number(turn))).nonce).toBe(name + turn);
    }
  }
  expect(turnsOf(root)).toEqual(['1', ...numbers].sort());
});

test('a session that cannot have its name leaves nothing behind, and the name with the other', () => {
  const store = createStoredSession('docs');
  const other = 'bcdefghjkm' as SessionId;
  expect(() => addSession(store, other, { name: 'docs' })).toThrow(
    expect.objectContaining({ code: 'name_taken', exitCode: 4 }),
  );
  expect(readdirSync(join(store.root, 'sessions'))).toEqual([ID]);
  expect(store.names).toEqual(new Map([[ID, 'docs']]));
});

test('the paths of a record are relative to the project, and move with it', () => {
  const store = createEmptyStore();
  const { projectRoot } = store;
  const git = { root: projectRoot, head: null, branch: null };
  addSession(store, ID, { record: { working_dir: join(projectRoot, 'src'), git } });
  const file = readFileSync(join(store.root, 'sessions', ID, 'session.json'), 'utf8');
  expect(JSON.parse(file)).toMatchObject({ working_dir: 'src', git: { root: '.' } });
  const moved = { root: store.root, projectRoot: '/elsewhere' };
  expect(readSessionRecord({ store: moved, id: ID })).toMatchObject({
    working_dir: '/elsewhere/src',
    git: { root: '/elsewhere' },
  });
});

test('a session whose id is taken gives its name up again', () => {
  const store = createStoredSession();
  mkdirSync(join(store.root, 'sessions', 'bcdefghjkm', 'turns'), { recursive: true });
  expect(() => addSession(store, 'bcdefghjkm' as SessionId, { name: 'mine' })).toThrow(lostRace);
  expect(readdirSync(join(store.root, 'names'))).toEqual([]);
});

test('a failure that is no lost race is told as it is', () => {
  const { root } = createStoredSession();
  rmSync(join(root, 'sessions', ID, 'turns'), { recursive: true });
  const claim = { request: requestOf('second'), prompt: null };
  expect(() => claimTurn(turnIn(root, 2), claim)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  const tombstone = { ...requestOf('third'), kind: 'tombstone' } as const;
  expect(() => claimTombstone(turnIn(root, 2), tombstone)).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  );
});

test('a tombstone takes the next number, once', () => {
  const { root } = createStoredSession();
  const tombstone = (nonce: string) => ({ ...requestOf(nonce), kind: 'tombstone' }) as const;
  claimTombstone(turnIn(root, 2), tombstone('one'));
  expect(readRequest(turnIn(root, 2))).toEqual(tombstone('one'));
  expect(() => claimTombstone(turnIn(root, 2), tombstone('two'))).toThrow(lostRace);
});
