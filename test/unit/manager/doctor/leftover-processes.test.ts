import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Finding } from '../../../../src/core/check.ts';
import { installation } from '../../../../src/installation.ts';
import { checkLeftoverProcesses } from '../../../../src/manager/doctor/leftovers.ts';
import { hostIdentity } from '../../../../src/process/identity.ts';
import { shellWith } from '../../../helpers/marked-shell.ts';
import { createStoredSession, ID } from '../../../helpers/store.ts';

/** Long after everything that happens here. */
const LATER = Date.now() + 3_600_000;
const NONE = { status: 'ok', message: 'none', hint: null };

interface Scene {
  readonly root: string;
  file(name: string, content: object): void;
  /** A process with the mark of a turn of this store. */
  process(mark: string): ReturnType<typeof shellWith>;
  check(nowMs?: number): Promise<Finding>;
}

/** A session whose only turn has the nonce `first`. */
function scene(): Scene {
  const store = createStoredSession();
  const { root } = store;
  const context = { ...installation(), cwd: '/', env: {}, uid: 0, stateDir: null };
  return {
    root,
    file: (name, content) =>
      writeFileSync(join(root, 'sessions', ID, 'turns', '1', name), JSON.stringify(content)),
    process: (mark) => shellWith({ ZWARM_MARK: `${store.id}@${mark}` }),
    check: (nowMs = LATER) => checkLeftoverProcesses({ ...context, now: () => nowMs }, store),
  };
}

const EXIT = { v: 1, code: 0, why: null, detail: null, cancelled: false, ended_at: null, events_bytes: null };

function runnerStat(pid: number): object {
  return { v: 1, ...hostIdentity(), pid, stat: readFileSync(`/proc/${pid}/stat`, 'utf8') };
}

function leftover(pid: number): object {
  return {
    status: 'warning',
    message: `a process of a turn that has ended still runs: ${pid}`,
    hint: `look with: ps -fp ${pid}; to end what nobody needs: kill ${pid}`,
  };
}

const linux = test.runIf(process.platform === 'linux');

linux('processes of a turn that runs are where they belong', async () => {
  const { process, file, check } = scene();
  const runner = await process(`${ID}.1.first`);
  await process(`${ID}.1.first`);
  file('runner.stat', runnerStat(runner.pid));
  expect(await check()).toEqual(NONE);
});

linux(
  'a process that outlives its turn is told of, but not in the first moments, and until it ends',
  async () => {
    const { root, process, file, check } = scene();
    file('exit.json', EXIT);
    const ended = statSync(join(root, 'sessions', ID, 'turns', '1', 'exit.json')).mtimeMs;
    const { pid, end } = await process(`${ID}.1.first`);
    expect(await check(ended)).toEqual(NONE);
    expect(await check(ended + 4999)).toEqual(NONE);
    expect(await check(ended + 5000)).toEqual(leftover(pid));
    // An end in the future, as an agent may forge it, hides nothing.
    expect(await check(ended - 1)).toEqual(leftover(pid));
    await end();
    expect(await check()).toEqual(NONE);
  },
);

linux('the runner that settles its turn is no leftover', async () => {
  const { process, file, check } = scene();
  file('exit.json', EXIT);
  const runner = await process(`${ID}.1.first`);
  file('runner.stat', runnerStat(runner.pid));
  expect(await check()).toEqual(NONE);
  const { pid } = await process(`${ID}.1.first`);
  expect(await check()).toEqual(leftover(pid));
});

linux.each([
  ['a session that is gone', 'zzzzzzzzzz.1.first'],
  ['a turn that is gone', `${ID}.2.first`],
  ['a turn that another command had claimed', `${ID}.1.other`],
  ['nothing that we know', '../../etc'],
])('a process with the mark of %s is told of', async (_, mark) => {
  const { process, check } = scene();
  const { pid } = await process(mark);
  expect(await check()).toEqual(leftover(pid));
});

linux('whose process it is cannot be told where the turn is damaged: nothing is said', async () => {
  const { root, process, check } = scene();
  await process(`${ID}.1.first`);
  rmSync(join(root, 'sessions', ID, 'turns', '1', 'request.json'));
  expect(await check()).toEqual(NONE);
});
