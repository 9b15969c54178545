import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createScene, type Scene } from './scene.ts';
import { arm, disarm } from './syscalls.ts';
import { type CountedVerb, endedSession, VERBS } from './verbs.ts';

// The order in which the calls are made is a promise too: what is flushed before it shows itself, and what is recorded
// before anything is done. A power cut cannot be had in a test; the order can.

type Verb = Pick<CountedVerb, 'prepare' | 'act'>;

/** The calls of a verb, with short names for what is random in them. */
async function callsOf({ prepare, act }: Verb): Promise<string[]> {
  const scene = createScene();
  try {
    const id = await prepare(scene);
    arm(null);
    await act(scene, id);
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

const flushed = (directory: string, ...names: string[]): string[] =>
  names.map((name) => `fsync ${join(directory, name)}`);

const TURN = ['request.json', 'prompt.md', 'events.jsonl', 'stderr.log'];
const FIRST = 'sessions/ID/turns/1';
const NEW = 'sessions/ID/turns/.new';
const CLAIM = flushed(NEW, 'request.json', '');

const rewinding: Verb = {
  async prepare(scene) {
    const id = await endedSession(scene);
    await scene.manager.inject(id, 'quick second');
    await scene.manager.wait(id);
    return id;
  },
  act: ({ manager }, id) => manager.rewind(id ?? '', 1).then(() => true),
};
const forking: Verb = {
  prepare: endedSession,
  act: ({ manager }, id) => manager.fork(id ?? '').then(() => true),
};

/** Calls that all come before `then`, and after that of the stage before. A `kill` is one of any process. */
type Stage = readonly [first: readonly string[], then: string];
const END = 'the end';

test.each<[string, Verb | undefined, ...Stage[]]>([
  [
    'a store and a session show themselves when all of it is on the disk; an agent runs when their names are',
    VERBS['start'],
    [
      [
        ...flushed('projects/.new', 'format', 'project.json', ''),
        ...['sessions', 'names', 'trash'].map((name) => `mkdir projects/.new/${name}`),
      ],
      'rename projects/.new store',
    ],
    [['fsync projects'], 'mkdir sessions/.new'],
    [
      [
        ...flushed('sessions/.new/turns/1', ...TURN, ''),
        ...flushed('sessions/.new', 'session.json', 'turns', ''),
      ],
      'rename sessions/.new sessions/ID',
    ],
    [['fsync sessions', `fsync ${FIRST}/launch.json`], 'spawn /bin/sh'],
  ],
  [
    'a message shows itself when all of it is on the disk, and is run when its name is',
    VERBS['inject'],
    [flushed(NEW, ...TURN, ''), `rename ${NEW} sessions/ID/turns/2`],
    [flushed('sessions/ID/turns', '', '2/launch.json'), 'spawn /bin/sh'],
  ],
  [
    'a rewind is on the disk before it is acknowledged',
    rewinding,
    [CLAIM, `rename ${NEW} sessions/ID/turns/3`],
    [['fsync sessions/ID/turns'], END],
  ],
  [
    'a fork is on the disk before it is acknowledged',
    forking,
    [
      [
        ...flushed('sessions/.new/turns/1', ...TURN, 'launch.json', 'runner.stat', 'exit.json', ''),
        ...flushed('sessions/.new', 'session.json', 'turns', ''),
      ],
      'rename sessions/.new sessions/ID',
    ],
    [['fsync sessions'], END],
  ],
  [
    'who asked a turn to stop is on the disk before the first signal',
    VERBS['kill'],
    [flushed(FIRST, '.new'), `link ${FIRST}/.new ${FIRST}/cancel.json`],
    [[], 'kill'],
  ],
  [
    'a session is moved away when its tombstone is on the disk, and deleted when that is',
    VERBS['rm'],
    [CLAIM, `rename ${NEW} sessions/ID/turns/2`],
    [['fsync sessions/ID/turns'], 'rename sessions/ID trash/ID.new'],
    [['fsync sessions'], 'spawnSync /bin/rm'],
  ],
  [
    'the end of a turn is on the disk before it counts as settled',
    VERBS['settle'],
    [
      flushed(FIRST, 'events.jsonl', 'stderr.log', 'exit.json', ''),
      `link ${FIRST}/.new ${FIRST}/notified.json`,
    ],
  ],
])('%s', async (_name, verb, ...stages) => {
  const calls = [...(await callsOf(verb as Verb)), END];
  let from = 0;
  for (const [first, then] of stages) {
    const at = calls.findIndex((call) => call === then || (then === 'kill' && call.startsWith(then)));
    expect(at, `${then} in\n${calls.join('\n')}`).toBeGreaterThanOrEqual(from);
    expect(calls.slice(from, at), `before ${then}`).toEqual(expect.arrayContaining([...first]));
    from = at;
  }
});
