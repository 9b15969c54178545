import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CODEX_VERSION, CODEX_WRAPPER, createCodexProject } from '../helpers/codex.ts';
import { eventually, processesWith } from '../helpers/project.ts';

const ANSWERS = { steps: [{ message: 'fine' }] };

test.concurrent('the script that npm links works when it is named, on both turns', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  project.env['ZWARM_CODEX_BIN'] = CODEX_WRAPPER;
  expect(await project.ok(['start', '--wait', 'one'])).toBe('fine');
  expect(await project.ok(['inject', '@last', '--wait', 'two'])).toBe('fine');
  const { id, turns } = await project.show('@last');
  expect(turns.map(({ how }) => how)).toEqual(['fresh', 'native']);
  expect(project.launch(id, 2)).toMatchObject({ program: CODEX_WRAPPER, agent_version: CODEX_VERSION });
});

test.concurrent('a home of Codex in the temporary directory: its warning disturbs nothing', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  const home = mkdtempSync(join(project.base, 'tmp', 'codex-home-'));
  t.onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 20 }));
  cpSync(join(project.codexHome, 'config.toml'), join(home, 'config.toml'));
  project.env['CODEX_HOME'] = home;
  expect(await project.zwarm(['start', '--wait', 'one'])).toMatchObject({
    code: 0,
    stdout: 'fine\n',
    stderr: '',
  });
  const { id, turns } = await project.show('@last');
  expect(readFileSync(project.turnFile(id, 1, 'stderr.log'), 'utf8')).toContain('WARNING');
  expect(turns[0]).toMatchObject({ error: null, warnings: [] });
  // Nor does it hide why a turn failed.
  await project.zwarm(['start', '--wait', '--agent-arg=--bogus', 'two']);
  expect((await project.show('@last')).error?.code).toBe('agent_arguments');
});

/** An address of this machine where nobody listens. */
async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/v1`;
}

test.concurrent('without a network a session says what it waits for, until it is killed', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS, url: await deadUrl() });
  const started = project.zwarm(['start', '--wait', '--timeout', '5s', 'anybody there?']);
  const row = await eventually('the session is there', async () => (await project.list())[0]);
  const warnings = async () => (await project.show(row.id)).turns[0]?.warnings ?? [];
  await eventually('it says so', async () =>
    (await warnings()).some((text) => /waiting for network/.test(text)),
  );
  expect(await started).toEqual({
    code: 124,
    stdout: '',
    stderr: `zwarm: ${row.id} still runs; wait for it with: zwarm wait ${row.id}\n`,
  });
  expect(await project.zwarm(['wait', '--timeout', '1s', row.id])).toMatchObject({ code: 124, stdout: '' });
  expect(await project.ok(['show', row.id])).toContain('! Reconnecting... waiting for network');
  expect(await project.zwarm(['kill', row.id])).toMatchObject({ code: 0, stdout: `${row.id} killed\n` });
  // What settles the turn may still be at work.
  await eventually('all ended', () => processesWith(`ZWARM_SESSION_ID=${row.id}`).length === 0);
  expect(await project.show(row.id)).toMatchObject({ status: 'killed', error: null });
  expect(await warnings()).toEqual([expect.stringMatching(/waiting for network/)]);
});

test.concurrent('a stream that is cut once and then comes through is no failure and no warning', async (t) => {
  const steps = [{ message: 'half an answer', cut: true }, { message: 'the whole answer' }];
  const project = await createCodexProject(t.onTestFinished, { script: { steps } });
  expect(await project.ok(['start', '--wait', 'go'])).toBe('the whole answer');
  const { id, turns } = await project.show('@last');
  expect(turns[0]).toMatchObject({ status: 'completed', error: null, warnings: [] });
  expect(readFileSync(project.turnFile(id, 1, 'events.jsonl'), 'utf8')).toContain('Reconnecting...');
});
