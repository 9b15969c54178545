import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  createShellProject,
  eventually,
  type Project,
  processesNaming,
  processesWith,
} from '../helpers/project.ts';

/* What stops a turn that reaches a limit: as built, with runners and watchers. */

async function ended(project: Project, ...args: readonly string[]) {
  const id = await project.ok(['start', '-q', ...args]);
  await project.$(`wait -q ${id}`);
  await eventually('nothing is left', () => processesWith(`ZWARM_SESSION_ID=${id}`).length === 0);
  const { status, error, turns } = await project.show(id);
  return { id, status, error, turns };
}

test.concurrent('--max-time stops a command that hangs, with all below it', async (t) => {
  const project = createShellProject(undefined, t.onTestFinished);
  const { id, ...end } = await ended(project, '--max-time', '1', 'run sleep 600 & sleep 600');
  expect(end).toMatchObject({
    status: 'killed',
    error: {
      code: 'limit',
      message: expect.stringMatching(/^it was stopped after [1-9]s: --max-time allows 1s$/),
    },
  });
  // It holds for each of its turns, and the next may be given more.
  await project.ok(['inject', id, '-q', '--max-time', '10m', 'run sleep 2']);
  await project.ok(['wait', '-q', id]);
  await project.ok(['inject', id, '-q', 'hang']);
  await project.$(`wait ${id}`);
  expect((await project.show(id)).turns.map(({ status }) => status)).toEqual([
    'killed',
    'completed',
    'killed',
  ]);
});

test.concurrent('--max-silence lets live what works, and stops what does not', async (t) => {
  const project = createShellProject(undefined, t.onTestFinished);
  const busy = 'run end=$(($(date +%s) + 8)); while [ "$(date +%s)" -lt "$end" ]; do :; done';
  expect(await ended(project, '--max-silence', '1', busy)).toMatchObject({ status: 'completed' });
  expect(await ended(project, '--max-silence', '1', 'run sleep 600')).toMatchObject({
    status: 'killed',
    error: { message: expect.stringMatching(/in which it said and did nothing: --max-silence allows 1s$/) },
  });
});

test.concurrent('--max-log stops what floods', async (t) => {
  const project = createShellProject(undefined, t.onTestFinished);
  const flood = 'run while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done';
  expect(await ended(project, '--max-log', '100k', flood)).toMatchObject({
    status: 'killed',
    error: { message: expect.stringMatching(/it had printed \d{6,} bytes: --max-log allows 100000$/) },
  });
});

test.concurrent('what ends before its limits leaves no watcher, and a kill is a kill', async (t) => {
  const project = createShellProject(undefined, t.onTestFinished);
  const limits = ['--max-time', '1h', '--max-silence', '1h', '--max-log', '1G'];
  expect(await ended(project, ...limits, 'x')).toMatchObject({ status: 'completed', error: null });
  const id = await project.ok(['start', '-q', ...limits, 'hang']);
  await eventually('it is watched', () => processesNaming('turn-watcher.sh', 'cmdline').length > 0);
  expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
  expect(processesWith(`ZWARM_SESSION_ID=${id}`)).toEqual([]);
  expect(await project.show(id)).toMatchObject({ status: 'killed', error: null });
});

test.concurrent('of a kill and a limit in the same second one is recorded', async (t) => {
  const project = createShellProject(undefined, t.onTestFinished);
  const begin = Date.now();
  const ids = await Promise.all([1, 2, 3].map(() => project.ok(['start', '-q', '--max-time', '1', 'hang'])));
  await eventually('it is about to be stopped', () => Date.now() - begin > 1000);
  await project.$(`kill ${ids.join(' ')}`);
  for (const id of ids) {
    const { status, error } = await project.show(id);
    const { why } = JSON.parse(readFileSync(project.turnFile(id, 1, 'cancel.json'), 'utf8'));
    expect({ status, why, limit: error?.code === 'limit' }).toEqual({
      ...{ status: 'killed', why: expect.stringMatching(/^(kill|limit)$/) },
      limit: why === 'limit',
    });
  }
});
