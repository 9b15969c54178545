import { expect, test } from 'vitest';
import { arm, disarm } from './plan.ts';
import { createScene, type Scene } from './scene.ts';
import { type CountedVerb, endedSession, VERBS } from './verbs.ts';

/*
 * The order in which the calls are made is a promise too: what is flushed before it shows itself, and what is recorded
 * before anything is done. A power cut cannot be had in a test; the order can.
 */

/** The calls of a verb, with short names for what is random in them. */
async function callsOf(verb: string | Pick<CountedVerb, 'prepare' | 'act'>): Promise<string[]> {
  const scene = createScene();
  try {
    const prepared = typeof verb === 'string' ? VERBS[verb] : verb;
    const id = (await prepared?.prepare(scene)) ?? null;
    arm(null);
    await prepared?.act(scene, id);
    return disarm().map((call) => plain(call, scene));
  } finally {
    disarm();
    await scene.end();
  }
}

function plain(call: string, { root, state, base }: Scene): string {
  return call
    .replaceAll(`${root}/`, '')
    .replaceAll(root, 'store')
    .replaceAll(`${state}/`, '')
    .replaceAll(`${base}/`, '')
    .replace(/\.new-[a-z0-9]{24}/g, '.new')
    .replace(/\b[a-z][a-z0-9]{9}\b/g, 'ID')
    .replace(/ID\.[a-z0-9]{24}/g, 'ID.new')
    .replace(/\.new-ID/g, '.new')
    .replace(/^(open|write) .*/, '');
}

/** Checks that all of `first` come before `then`, which must come. */
function expectBefore(calls: readonly string[], first: readonly string[], then: string): void {
  const at = calls.indexOf(then);
  expect(at, `${then} in\n${calls.join('\n')}`).toBeGreaterThanOrEqual(0);
  const before = calls.slice(0, at);
  for (const call of first) expect(before, `before ${then}`).toContain(call);
}

const TURN = ['request.json', 'prompt.md', 'events.jsonl', 'stderr.log'];

test('a session shows itself when all of it is on the disk, and runs when its name is', async () => {
  const calls = await callsOf('start');
  const built = [
    'sessions/.new/session.json',
    ...TURN.map((name) => `sessions/.new/turns/1/${name}`),
    'sessions/.new/turns/1',
    'sessions/.new/turns',
    'sessions/.new',
  ];
  const shown = 'rename sessions/.new sessions/ID';
  expectBefore(
    calls,
    built.map((path) => `fsync ${path}`),
    shown,
  );
  const after = calls.slice(calls.indexOf(shown));
  expectBefore(after, ['fsync sessions', 'fsync sessions/ID/turns/1/launch.json'], 'spawn /bin/sh');
});

test('a store shows itself when all of it is on the disk', async () => {
  const calls = await callsOf('start');
  const built = ['projects/.new/format', 'projects/.new/project.json', 'projects/.new'];
  const made = ['sessions', 'names', 'trash'].map((name) => `mkdir projects/.new/${name}`);
  expectBefore(calls, [...built.map((path) => `fsync ${path}`), ...made], 'rename projects/.new store');
  expectBefore(calls, ['rename projects/.new store', 'fsync projects'], 'mkdir sessions/.new');
});

test('a message shows itself when all of it is on the disk, and is run when its name is', async () => {
  const calls = await callsOf('inject');
  const shown = 'rename sessions/ID/turns/.new sessions/ID/turns/2';
  const built = [...TURN.map((name) => `sessions/ID/turns/.new/${name}`), 'sessions/ID/turns/.new'];
  expectBefore(
    calls,
    built.map((path) => `fsync ${path}`),
    shown,
  );
  const after = calls.slice(calls.indexOf(shown));
  expectBefore(after, ['fsync sessions/ID/turns', 'fsync sessions/ID/turns/2/launch.json'], 'spawn /bin/sh');
});

test('a rewind is on the disk before it is acknowledged', async () => {
  const calls = await callsOf({
    async prepare(scene) {
      const id = await endedSession(scene);
      await scene.manager.inject(id, 'quick second');
      await scene.manager.wait(id);
      return id;
    },
    act: ({ manager }, id) => manager.rewind(id ?? '', 1).then(() => true),
  });
  const claimed = 'rename sessions/ID/turns/.new sessions/ID/turns/3';
  expectBefore(calls, ['fsync sessions/ID/turns/.new/request.json', 'fsync sessions/ID/turns/.new'], claimed);
  expect(calls.slice(calls.indexOf(claimed))).toContain('fsync sessions/ID/turns');
});

test('a fork is on the disk before it is acknowledged', async () => {
  const calls = await callsOf({
    prepare: endedSession,
    act: ({ manager }, id) => manager.fork(id ?? '').then(() => true),
  });
  const shown = 'rename sessions/.new sessions/ID';
  expectBefore(calls, ['fsync sessions/.new/turns', 'fsync sessions/.new'], shown);
  expect(calls.slice(calls.indexOf(shown))).toContain('fsync sessions');
});

test('who asked a turn to stop is on the disk before the first signal', async () => {
  const calls = await callsOf('kill');
  const published = 'link sessions/ID/turns/1/.new sessions/ID/turns/1/cancel.json';
  expectBefore(calls, ['fsync sessions/ID/turns/1/.new'], published);
  const signal = calls.find((call) => call.startsWith('kill')) ?? 'a signal';
  expectBefore(calls, [published], signal);
});

test('a session is moved away when its tombstone is on the disk, and deleted when that is', async () => {
  const calls = await callsOf('rm');
  const claimed = 'rename sessions/ID/turns/.new sessions/ID/turns/2';
  const moved = 'rename sessions/ID trash/ID.new';
  expectBefore(calls, ['fsync sessions/ID/turns/.new/request.json', 'fsync sessions/ID/turns/.new'], claimed);
  expectBefore(calls.slice(calls.indexOf(claimed)), ['fsync sessions/ID/turns'], moved);
  expectBefore(calls.slice(calls.indexOf(moved)), ['fsync sessions'], 'spawnSync /bin/rm');
});

test('the end of a turn is on the disk before it counts as settled', async () => {
  const calls = await callsOf('settle');
  const turn = 'sessions/ID/turns/1';
  const flushed = ['events.jsonl', 'stderr.log', 'exit.json'].map((name) => `fsync ${turn}/${name}`);
  expectBefore(calls, [...flushed, `fsync ${turn}`], `link ${turn}/.new ${turn}/notified.json`);
});
