import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../helpers/config.ts';
import {
  createShellProject,
  eventually,
  type Project,
  processesNaming,
  processesWith,
} from '../helpers/project.ts';

test('a program that hangs delays neither the end of a turn nor what waits for it, and is no part of a turn', async () => {
  const project = createShellProject();
  const [log, program] = [join(project.base, 'told'), join(project.base, 'tell')];
  writeFileSync(
    program,
    `#!/bin/sh\n{ cat; env; } > '${log}.new'; mv '${log}.new' '${log}'; exec sleep 1234\n`,
    { mode: 0o755 },
  );
  place(join(project.base, 'home/.config/zwarm/config.toml'), `notify = ["${program}"]\nmax_running = 1\n`);
  const begin = async (...argv: string[]) =>
    (await project.asProcess(['start', '-q', ...argv])).stdout.trim();
  const first = await begin('run sleep 0.5');
  const second = await begin('--queue', 'run touch second');
  await eventually('the program is called', () => readdirSync(project.base).includes('told'));
  // While it hangs.
  await eventually('the second has ended', async () => (await project.show(second)).status !== 'running');
  await project.settled(second);
  expect(readdirSync(project.directory)).toContain('second');
  expect(processesNaming('sleep\0' + '1234', 'cmdline').length).toBeGreaterThan(0);
  const [json = '', ...env] = readFileSync(log, 'utf8').trimEnd().split('\n');
  expect(JSON.parse(json).events[0]).toMatchObject({ id: first });
  expect(env.filter((line) => /^ZWARM_(MARK|SESSION_ID|TURN|STORE)=/.test(line))).toEqual([]);
  expect(env).toContain(`ZWARM_DIR=${project.state}`);
  expect((await project.asProcess(['doctor'])).stdout).not.toMatch(/still run/);
  const last = join(project.state, 'notifications/last-call.json');
  const told = await eventually('the program was ended', () => {
    const names = readdirSync(join(project.state, 'notifications'));
    return names.includes('last-call.json') && JSON.parse(readFileSync(last, 'utf8'));
  });
  expect(told).toMatchObject({ program, problem: 'it gave no answer within 10 s' });
});

/** Has several processes settle the first turns of sessions at the same time, as runners do when these have ended. */
async function settleAtOnce(project: Project, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await eventually('it has ended', () => existsSync(project.turnFile(id, 1, 'exit.json')));
  const settled = [...ids, ...ids, ...ids].map((id) =>
    project.asProcess(['settle'], { env: { ZWARM_SESSION_ID: id, ZWARM_TURN: '1' } }),
  );
  expect((await Promise.all(settled)).map(({ code }) => code)).toEqual(settled.map(() => 0));
}

test('of several that settle a turn at the same time one has it told, and one process tells it', async () => {
  const project = createShellProject();
  const [log, program] = [join(project.base, 'told'), join(project.base, 'tell')];
  writeFileSync(program, `#!/bin/sh\ncat >> '${log}'\n`, { mode: 0o755 });
  place(join(project.base, 'home/.config/zwarm/config.toml'), `notify = ["${program}"]\n`);
  // Started in this process, where no runner settles.
  const ids = [await project.start(['-q', 'echo']), await project.start(['-q', 'echo'])];
  await settleAtOnce(project, ids);
  await eventually(
    'nobody tells anything any more',
    () => processesWith(`ZWARM_DIR=${project.state}`).length === 0,
  );
  const calls = readFileSync(log, 'utf8').trimEnd().split('\n');
  const keys = calls.flatMap((line) => JSON.parse(line).events.map(({ key }: { key: string }) => key));
  expect(keys.sort()).toEqual(ids.map((id) => `${id}.1.finished`).sort());
  expect(readdirSync(join(project.state, 'notifications/waiting'))).toEqual([]);
});

test('of several that settle a failed turn at the same time one has its message repeated, once', async () => {
  const project = createShellProject();
  const busy = `run printf '{"type":"turn.failed","error":{"message":"status: 503"}}\\n'; exit 1`;
  const ids = [];
  for (let i = 0; i < 3; i += 1) ids.push(await project.start(['-q', '--retry', '3', busy]));
  await settleAtOnce(project, ids);
  for (const id of ids) {
    const { status, turns } = await project.show(id);
    expect([status, turns.map(({ kind, retry }) => [kind, retry])]).toEqual([
      'pending',
      [
        ['prompt', { number: 0, most: 3 }],
        ['retry', { number: 1, most: 3 }],
      ],
    ]);
  }
  // Of those that came too late, none has left a place in the queue.
  const places = readdirSync(join(project.store(), 'queue')).map((name) => name.replace(/^[0-9]+-/, ''));
  expect(places.sort()).toEqual(ids.map((id) => `${id}.2`).sort());
  for (const id of ids) await project.ok(['queue', 'rm', id]);
});
