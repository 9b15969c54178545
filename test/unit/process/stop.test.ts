import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ownIdentity, statOf } from '../../../src/process/identity.ts';
import { type StopOptions, stopTurn } from '../../../src/process/stop.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { live, newMarks } from '../../helpers/marked.ts';
import { eventually, processesNaming, processesWith } from '../../helpers/project.ts';

/** A turn whose runner runs `script` in a directory of its own: there `agent` is a command that bears the turn's mark. */
async function turnOf(script: string) {
  const directory = emptyDirectory();
  const marks = newMarks();
  const file = (name: string): string => join(directory, name);
  const head = `cd "$1"; trap : HUP INT TERM; agent() { ZWARM_MARK='${marks}x' "$@"; }`;
  const runner = await live(`${marks}x.runner`, `${head}; echo ready\n${script}\n: > record`, [directory]);
  const options: StopOptions = {
    marks,
    recorded: null,
    signals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
    graceMs: 100,
    ended: () => existsSync(file('record')),
    record: () => undefined,
  };
  const stop = (more?: Partial<StopOptions>) => stopTurn({ ...options, ...more });
  return { runner, marks, file, stop };
}

/** The pids of all that sleeps for so long. */
function sleepersOf(seconds: string): number[] {
  const { stdout } = spawnSync('pgrep', ['-f', `^sleep ${seconds}$`], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}

async function gone(marks: string): Promise<void> {
  await eventually('nothing is left', () => processesNaming(`ZWARM_MARK=${marks}`).length === 0);
}

test.each([
  // The runner is continued when all that was found has been ended.
  [
    'an agent that its runner begins only after the last look',
    "trap ': > go' CONT; : > waits; until [ -e go ]; do :; done; agent sleep 1000",
    'waits',
  ],
  ['what calls itself a part of the runner', `sh -c 'trap "" INT TERM; : > runs; exec sleep 1000'`, 'runs'],
])('%s is ended', async (_, script, begun) => {
  const { marks, file, stop } = await turnOf(script);
  await eventually('it runs', () => existsSync(file(begun)));
  expect(await stop()).toEqual([]);
  await gone(marks);
  await eventually('it is recorded', () => existsSync(file('record')));
});

test('what the runner itself runs gets no signal together with the agent', async () => {
  const helper = 'trap ": > told" INT TERM; : > helps; read -r forever < fifo';
  const { file, stop } = await turnOf(`
mkfifo fifo; agent sh -c 'trap "" INT TERM; : > runs; exec sleep 1000' & agent=$!
sh -c '${helper}' 9<> fifo & wait $agent; : > record; kill -KILL $!`);
  await eventually('they run', () => existsSync(file('helps')) && existsSync(file('runs')));
  expect(await stop()).toEqual([]);
  expect(existsSync(file('told'))).toBe(false);
});

test('a runner that never records is ended last, and the end is recorded before its death', async () => {
  const { runner, marks, stop } = await turnOf('mkfifo fifo; agent sleep 1000; read -r forever < fifo');
  const seen: unknown[] = [];
  const record = () => seen.push(statOf(runner.pid)?.dead, processesWith(`ZWARM_MARK=${marks}x`));
  expect(await stop({ record })).toEqual([]);
  expect(seen).toEqual([false, []]);
  await gone(marks);
});

test('a stranger is never signalled, though the record names it with its start time and its group is full', async () => {
  const told = join(emptyDirectory(), 'told');
  const script = `trap ': > "$1"' HUP INT TERM CONT; sleep 1000 & echo ready; wait; wait`;
  const stranger = await live(null, script, [told]);
  const { stop, runner, marks } = await turnOf('agent sleep 1000');
  const init = { ...ownIdentity(), pid: 1, start: statOf(1)?.start ?? '' };
  for (const recorded of [stranger.identity, ownIdentity(), init])
    expect(await stop({ recorded, marks: `no${marks}` })).toEqual([]);
  expect(statOf(runner.pid)).not.toBeNull();
  expect(await stop({ recorded: stranger.identity })).toEqual([]);
  expect(statOf(stranger.pid)).toMatchObject({ dead: false });
  expect(existsSync(told)).toBe(false);
});

test('what bears the mark of another turn, and what is below it, lives on', async () => {
  const { file, stop } = await turnOf(
    `agent sh -c 'ZWARM_MARK=store2@abcdefghjr.2.other sh -c "env -i sleep 1000 & echo \\$! > below; sleep 1000 & echo \\$! > other; wait" & sleep 1000'`,
  );
  const pids = await eventually('all run', () =>
    ['below', 'other'].every((name) => existsSync(file(name)) && readFileSync(file(name), 'utf8') !== '')
      ? ['below', 'other'].map((name) => Number(readFileSync(file(name), 'utf8')))
      : null,
  );
  expect(await stop()).toEqual([]);
  for (const pid of pids) {
    expect(statOf(pid)).toMatchObject({ dead: false });
    process.kill(pid, 'SIGKILL');
  }
});

test('what has cleared its environment and left the group is ended, with all that it begins while we look', async () => {
  // A time for sleep that nobody else sleeps for.
  const unique = `1000.${process.pid}${Date.now()}`;
  onTestFinished(() => {
    for (const pid of sleepersOf(unique)) process.kill(pid, 'SIGKILL');
  });
  const { marks, file, stop } = await turnOf(
    `agent sh -c 'env -i setsid sh -c "trap : INT TERM HUP; while :; do sleep ${unique} & echo \\$\\$ > cleared; wait; done" & wait'`,
  );
  const cleared = () => existsSync(file('cleared')) && Number(readFileSync(file('cleared'), 'utf8'));
  const pid = await eventually('it runs', cleared);
  expect(await stop()).toEqual([]);
  expect(statOf(pid)?.dead ?? true).toBe(true);
  expect(sleepersOf(unique)).toEqual([]);
  await gone(marks);
});

test('what hands over to a child and ends, again and again, is ended', async () => {
  const hop = join(emptyDirectory(), 'hop.sh');
  // After 300 times it sleeps, since where nobody collects the dead they stay.
  const body = 'trap "" INT TERM\n[ $(($1 + 0)) -lt 300 ] || exec sleep 1000\n"$0" $(($1 + 1)) &\n';
  writeFileSync(hop, `#!/bin/sh\n${body}`, { mode: 0o755 });
  const { marks, stop } = await turnOf(`agent sh -c '${hop}; exec sleep 1000'`);
  expect(await stop()).toEqual([]);
  expect(processesWith(`ZWARM_MARK=${marks}x`)).toEqual([]);
});
