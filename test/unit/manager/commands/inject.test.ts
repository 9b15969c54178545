import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ownIdentity } from '../../../../src/process/identity.ts';
import { claimTurn } from '../../../../src/store/claim.ts';
import { createShellProject, eventually, hasEnded, processesBelow } from '../../../helpers/project.ts';
import { addSession, ID, requestOf, runnerStat, storeOf } from '../../../helpers/store.ts';
import { managerOf } from '../../../helpers/tools-in-process.ts';
import { snapshot } from '../../../helpers/tree.ts';

test('while a session works it takes no message but one that interrupts, and no second one of these', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const [{ pid } = { pid: 0 }] = project.runs();
  await eventually('it has begun', async () => (await project.show(id)).thread_id !== null);
  const refused = async (line: string, said: string): Promise<void> => {
    const before = snapshot(project.store());
    expect(await project.$(line)).toBe(`zwarm: ${id} ${said}\n[exit 4]\n`);
    expect(snapshot(project.store()), line).toEqual(before);
  };
  const wait = `wait for it first: zwarm wait ${id}`;
  const ways = `${wait}; or queue the message: zwarm inject ${id} --queue "…"; or stop it: zwarm inject ${id} --interrupt "…"`;
  await refused(`inject ${id} more`, `is still running\nhint: ${ways}`);
  await refused(`inject --force ${id} more`, `is still running\nhint: ${ways}`);
  await managerOf(project, null).checkInject(id as typeof ID, { interrupt: true });
  const store = storeOf(project.state, project.directory);
  claimTurn(
    { store, id: id as typeof ID, turn: 2 },
    { request: requestOf('second'), prompt: Buffer.from('second') },
  );
  await refused(
    `inject --interrupt ${id} third`,
    `has been given another message\nhint: ${wait}; or withdraw what waits: zwarm queue rm ${id}`,
  );
  expect(hasEnded(pid)).toBe(false);
  // Not by zwarm, which would wait for us to launch the second turn.
  process.kill(pid, 'SIGKILL');
  await eventually('nothing runs', () => processesBelow(project.base).length === 0);
});

test('--interrupt of a session at rest is an ordinary message', async () => {
  const project = createShellProject();
  const id = await project.ended();
  expect(await project.$(`inject --interrupt ${id} --wait quick`)).toBe('done\n');
  expect(existsSync(project.turnFile(id, 1, 'cancel.json'))).toBe(false);
});

test('what may run elsewhere takes a message only by force, which says that it does not', async () => {
  const project = createShellProject();
  const store = storeOf(project.state, project.directory);
  const there = { ...ownIdentity(), host: 'elsewhere', boot_id: 'theirs' };
  addSession(store, ID, { record: { working_dir: project.directory } });
  writeFileSync(project.turnFile(ID, 1, 'runner.stat'), runnerStat(there));
  const before = snapshot(project.store());
  for (const words of ['', '--interrupt '])
    expect(await project.$(`inject ${words}${ID} more`)).toMatch(
      /cannot be determined here\nhint: .*\n\[exit 4\]\n$/,
    );
  expect(snapshot(project.store())).toEqual(before);
  expect(await project.$(`inject --force --wait ${ID} quick`)).toBe('done\n');
  expect(project.runs().at(-1)?.stdin).toContain('say hello');
  expect(readFileSync(project.turnFile(ID, 2, 'prompt.md'), 'utf8')).toBe('quick');
});
