import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProcessIdentity } from '../../../../src/core/session.ts';
import { markOfTurn } from '../../../../src/core/turn-mark.ts';
import { installation } from '../../../../src/installation.ts';
import { createLeftOf } from '../../../../src/manager/session/processes-left.ts';
import { publishCancel } from '../../../../src/manager/stop/request-cancel.ts';
import { ownIdentity } from '../../../../src/process/identity.ts';
import { createCensus } from '../../../../src/process/turn-processes.ts';
import { claimTombstone, claimTurn } from '../../../../src/store/claim.ts';
import { readRequest } from '../../../../src/store/sessions.ts';
import { live } from '../../../helpers/marked.ts';
import { createShellProject, eventually, hasEnded } from '../../../helpers/project.ts';
import { addSession, DEAD, ID, requestOf, runnerStat, storeOf } from '../../../helpers/store.ts';
import { createTools, managerOf } from '../../../helpers/tools-in-process.ts';
import { snapshot } from '../../../helpers/tree.ts';

const COMPLETED = `{"type":"thread.started","thread_id":"01a1f880-c978-76c0-be58-213b143ff767"}
{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5}}
`;
const context = { ...installation(), cwd: '/', env: {}, uid: 0, stateDir: null };
const own = ownIdentity();
const ELSEWHERE = { ...own, host: 'elsewhere', boot_id: 'theirs' };

/** A project with the session `ID`, whose turn 1 is claimed by this process. */
function createClaimed(claimer: ProcessIdentity = own) {
  const project = createShellProject();
  const store = storeOf(project.state, project.directory);
  const source = 'mcp:test-client';
  addSession(store, ID, { record: { working_dir: project.directory, source } });
  const turn = { store, id: ID, turn: 1 };
  const file = (name: string, number = 1) => join(store.root, 'sessions', ID, 'turns', String(number), name);
  const request = { ...readRequest(turn), claimer };
  writeFileSync(file('request.json'), JSON.stringify(request));
  return {
    project,
    store,
    turn,
    request,
    file,
    read: (name: string, number = 1) => JSON.parse(readFileSync(file(name, number), 'utf8')),
    runner: (identity: ProcessIdentity) => writeFileSync(file('runner.stat'), runnerStat(identity)),
    end(code: number | null, cancelled = false): void {
      const rest = { why: null, detail: null, cancelled, uptime: null, ended_at: null, events_bytes: null };
      writeFileSync(file('exit.json'), JSON.stringify({ v: 1, code, ...rest }));
    },
  };
}

type Claimed = ReturnType<typeof createClaimed>;

const ENDS: readonly [status: string, how: string, (claimed: Claimed) => void][] = [
  [
    'completed',
    'by itself',
    ({ file, runner, end }) => {
      runner(DEAD);
      writeFileSync(file('events.jsonl'), COMPLETED);
      end(0);
    },
  ],
  [
    'failed',
    'by itself',
    ({ runner, end }) => {
      runner(DEAD);
      end(1);
    },
  ],
  [
    'killed',
    'as its runner says',
    ({ runner, end }) => {
      runner(DEAD);
      end(130, true);
    },
  ],
  [
    'killed',
    'as was asked for',
    ({ turn, end, runner }) => {
      runner(DEAD);
      publishCancel(context, turn, 'kill');
      end(null, true);
    },
  ],
  ['lost', 'without a record', ({ runner }) => runner(DEAD)],
];

test.each(ENDS)(
  'nobody kills a session that is %s, %s, and nothing is written for it',
  async (status, _, make) => {
    const claimed = createClaimed();
    make(claimed);
    const { project } = claimed;
    const before = snapshot(project.state);
    const how = status === 'lost' ? 'is lost' : `ended \\d+[sm] ago: ${status}`;
    const said = new RegExp(
      `^zwarm: ${ID} is not running: it ${how}\nhint: see: zwarm show ${ID}\n\\[exit 4\\]\n$`,
    );
    for (const words of ['', '--force ', '--tree ', '--grace 0s '])
      expect(await project.$(`kill ${words}${ID}`)).toMatch(said);
    expect(await project.$('kill --all')).toBe('');
    expect(snapshot(project.state)).toEqual(before);
    expect((await project.list())[0]?.status).toBe(status);
    // A model is told how it ended: what it wanted is so.
    const reason = 'too late';
    const answer = await createTools({ project }).ok('end_session', { session_id: ID, reason });
    expect(answer).toMatchObject({ session_id: ID, status, reason: null, deleted: false });
    // All that this leaves is that it has been seen.
    const seen = join(project.state, 'seen');
    const after = Object.entries(snapshot(project.state)).filter(([path]) => !path.startsWith(seen));
    expect(Object.fromEntries(after)).toEqual(before);
  },
);

test('what a turn has left is ended, whose status stays; with --all only where a kill was interrupted', async () => {
  for (const cancelled of [true, false]) {
    const { project, store, turn, request, runner, end, file } = createClaimed();
    runner(DEAD);
    writeFileSync(file('events.jsonl'), COMPLETED);
    if (cancelled) publishCancel(context, turn, 'kill');
    end(cancelled ? 130 : 0, cancelled);
    const leave = () => live(markOfTurn(turn, request.nonce));
    const { pid } = await leave();
    const before = snapshot(store.root);
    expect(await project.$(`kill --grace 0s ${ID}`)).toBe(`${ID} 1 process ended\n`);
    expect(hasEnded(pid)).toBe(true);
    await leave();
    expect(await project.$('kill --all --grace 0s')).toBe(cancelled ? `${ID} 1 process ended\n` : '');
    expect(await project.$(`show ${ID}`)).toMatch(
      cancelled ? / · killed · / : /\n {2}1 process left\n {2}hint: zwarm kill/,
    );
    expect(snapshot(store.root)).toEqual(before);
  }
});

test('a turn that begins after its session was looked at has left nothing, until it has ended', async () => {
  const { turn, request, runner, end, file } = createClaimed();
  runner(DEAD);
  end(0);
  const { pid: server } = await live(markOfTurn(turn, request.nonce));
  const second = { ...turn, turn: 2 };
  const next = requestOf('second');
  claimTurn(second, { request: next, prompt: Buffer.from('more') });
  const { pid: agent } = await live(markOfTurn(second, next.nonce));
  const left = (status: 'completed' | 'running' | 'ready', number: number | null) =>
    createLeftOf()(turn, { status, turn: number })?.map(({ turn: of, pids }) => [of, pids]);
  expect(left('completed', 1)).toEqual([[1, [server]]]);
  expect(left('ready', null)).toEqual([[1, [server]]]);
  expect(left('running', 2)).toEqual([[1, [server]]]);
  expect(left('running', 1)).toEqual([]);
  writeFileSync(file('exit.json', 2), readFileSync(file('exit.json')));
  expect(left('completed', 1)).toEqual([
    [1, [server]],
    [2, [agent]],
  ]);
});

test('what has ended since all processes were looked at is not left', async () => {
  const { turn, request, runner, end } = createClaimed();
  runner(DEAD);
  end(0);
  const { pid } = await live(markOfTurn(turn, request.nonce));
  const census = createCensus();
  const leftOf = createLeftOf(census);
  expect(census.processes().map((one) => one.pid)).toContain(pid);
  process.kill(pid, 'SIGKILL');
  await eventually('it has ended', () => hasEnded(pid));
  expect(leftOf(turn, { status: 'completed', turn: 1 })).toEqual([]);
});

test.each([
  ['is ready', 0, /is ready: there is nothing to end/],
  ['goes on from the turn before', 1, /is not running: it ended \d+[sm] ago: completed/],
])('what a turn has left that was rewound is ended, of a session that %s', async (_, to, refusal) => {
  const { project, turn, runner, end, file } = createClaimed();
  runner(DEAD);
  writeFileSync(file('events.jsonl'), COMPLETED);
  end(0, false);
  const second = { ...turn, turn: 2 };
  const request = requestOf('second');
  claimTurn(second, { request, prompt: Buffer.from('more') });
  writeFileSync(file('runner.stat', 2), runnerStat(DEAD));
  publishCancel(context, second, 'kill');
  writeFileSync(
    file('exit.json', 2),
    readFileSync(file('exit.json')).toString().replace('"cancelled":false', '"cancelled":true'),
  );
  claimTurn({ ...turn, turn: 3 }, { request: { ...requestOf('marker'), kind: 'rewind', to }, prompt: null });
  for (const line of [ID, '--all']) {
    const { pid } = await live(markOfTurn(second, request.nonce));
    expect(await project.$(`kill --grace 0s ${line}`)).toBe(`${ID} 1 process ended\n`);
    expect(hasEnded(pid)).toBe(true);
  }
  expect(await project.$(`kill ${ID}`)).toMatch(refusal);
  expect(await project.$('kill --all')).toBe('');
});

test.each([
  ['ran', true, null],
  ['was claimed', false, 'cancelled'],
])(
  'of a session that %s elsewhere and is gone for good, all turns that wait are killed too',
  async (_, ran, why) => {
    const { project, store, runner, read } = createClaimed(ELSEWHERE);
    if (ran) runner(ELSEWHERE);
    for (const turn of [2, 3]) {
      const request = { ...requestOf(`n${turn}`), queued: false };
      claimTurn({ store, id: ID, turn }, { request, prompt: Buffer.from('more') });
    }
    const before = snapshot(store.root);
    expect(await project.$(`kill ${ID}`)).toMatch(/zwarm kill --force .*\n\[exit 4\]\n$/);
    expect(snapshot(store.root)).toEqual(before);
    expect(await project.$(`kill --force ${ID}`)).toBe(`${ID} killed\n`);
    const { turns } = await project.show(ID);
    expect(turns.map(({ status }) => status)).toEqual(['killed', 'killed', 'killed']);
    for (const turn of [1, 2, 3]) {
      expect(read('cancel.json', turn)).toMatchObject({ why: 'kill' });
      expect(read('exit.json', turn)).toMatchObject({
        code: null,
        cancelled: true,
        why: turn === 1 ? why : 'cancelled',
      });
    }
  },
);

test('what runs of a session that is being removed, or whose records cannot be read, is ended', async () => {
  const spoils: readonly [string, (claimed: Claimed) => void, cancelled: boolean][] = [
    [
      'not_found',
      ({ turn }) => claimTombstone({ ...turn, turn: 2 }, { ...requestOf('end'), kind: 'tombstone' }),
      false,
    ],
    ['damaged', ({ file }) => rmSync(file('..'), { recursive: true }), false],
    ['damaged', ({ file }) => rmSync(file('.'), { recursive: true }), false],
    ['damaged', ({ file }) => writeFileSync(file('request.json'), '{'), true],
  ];
  for (const [code, spoil, cancelled] of spoils) {
    const claimed = createClaimed();
    const { project, turn, request, read } = claimed;
    spoil(claimed);
    const manager = managerOf(project, null);
    await expect(manager.kill(ID)).rejects.toMatchObject({ code });
    expect(await manager.listLive()).toEqual([]);
    const { pid } = await live(markOfTurn(turn, request.nonce));
    expect(await manager.listLive()).toEqual(code === 'damaged' ? [ID] : []);
    await manager.kill(ID, { graceMs: 0 });
    expect(hasEnded(pid)).toBe(true);
    if (cancelled) expect(read('cancel.json')).toMatchObject({ why: 'kill' });
  }
});

test('kill --force ends what runs here as any kill does', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const [{ pid } = { pid: 0 }] = project.runs();
  expect(await project.$(`kill --force ${id}`)).toBe(`${id} killed\n`);
  expect(hasEnded(pid)).toBe(true);
});

test('kill --tree leaves what a session has started while that cannot be ended itself', async () => {
  const { project, store, runner } = createClaimed(ELSEWHERE);
  runner(ELSEWHERE);
  const child = await project.begin('hang');
  const path = join(store.root, 'sessions', child, 'session.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), parent: ID }));
  const tree = await project.zwarm(['kill', '--tree', ID, 'none']);
  expect(tree).toMatchObject({ code: 4, stdout: '' });
  expect(tree.stderr).toMatch(/cannot be determined here[\s\S]*none/);
  expect(await project.show(child)).toMatchObject({ status: 'running', parent: ID });
  expect(await project.$(`kill --tree --force ${ID}`)).toBe(`${ID} killed\n${child} killed\n`);
});
