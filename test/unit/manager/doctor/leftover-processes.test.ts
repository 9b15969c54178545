import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installation } from '../../../../src/installation.ts';
import { checkLeftoverProcesses } from '../../../../src/manager/doctor/leftovers.ts';
import { hostIdentity } from '../../../../src/process/identity.ts';
import { readRequest } from '../../../../src/store/sessions.ts';
import { live } from '../../../helpers/marked.ts';
import { createStoredSession, ID } from '../../../helpers/store.ts';

/** Long after everything that happens here. */
const LATER = Date.now() + 3_600_000;
const NONE = { status: 'ok', message: 'none', hint: null };

/** A session with one turn. */
function scene() {
  const store = createStoredSession();
  const turn = join(store.root, 'sessions', ID, 'turns', '1');
  const { nonce } = readRequest({ store, id: ID, turn: 1 });
  const context = { ...installation(), cwd: '/', env: {}, uid: 0, stateDir: null };
  return {
    turn,
    nonce,
    file: (name: string, content: object) => writeFileSync(join(turn, name), JSON.stringify(content)),
    /** A process with the mark of a turn of this store. */
    process: (mark = `${ID}.1.${nonce}`) => live(`${store.id}@${mark}`),
    check: (nowMs = LATER) => checkLeftoverProcesses({ ...context, now: () => nowMs }, store),
  };
}

const EXIT = { v: 1, code: 0, why: null, detail: null, cancelled: false, ended_at: null, events_bytes: null };

const leftover = (pid: number) => ({
  status: 'warning',
  message: `a process of a turn that has ended still runs: ${pid}`,
  hint: `look with: ps -fp ${pid}; to end what nobody needs: kill ${pid}`,
});

const linux = test.runIf(process.platform === 'linux');

linux(
  'the runner of a turn is no leftover, nor is what runs with it; once it settles, the rest is',
  async () => {
    const { turn, process, file, check } = scene();
    const [{ pid: runner }, { pid }] = [await process(), await process()];
    const stat = readFileSync(`/proc/${runner}/stat`, 'utf8');
    file('runner.stat', { v: 1, ...hostIdentity(), pid: runner, stat });
    expect(await check()).toEqual(NONE);
    file('exit.json', EXIT);
    // But not in the first moments. An end in the future, as an agent may forge it, hides nothing.
    const ended = statSync(join(turn, 'exit.json')).mtimeMs;
    const rows = [NONE, NONE, leftover(pid), leftover(pid)];
    for (const [i, afterMs] of [0, 4999, 5000, -1].entries())
      expect(await check(ended + afterMs), `${afterMs} ms`).toEqual(rows[i]);
  },
);

linux('a process is named whose session, turn or claim is gone, or whose mark says nothing', async () => {
  const { nonce, process, check } = scene();
  const marks = [`zzzzzzzzzz.1.${nonce}`, `${ID}.2.${nonce}`, `${ID}.1.other`, '../../etc'];
  const pids = (await Promise.all(marks.map(process))).map(({ pid }) => pid);
  const { message } = await check();
  const [, named = ''] = /^4 processes of turns that have ended still run: (.*)$/.exec(message) ?? [];
  expect(named.split(', ').map(Number).sort()).toEqual(pids.sort());
});

linux('whose process it is cannot be told where the turn is damaged: nothing is said', async () => {
  const { turn, process, check } = scene();
  await process();
  rmSync(join(turn, 'request.json'));
  expect(await check()).toEqual(NONE);
});
