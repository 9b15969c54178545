import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/project.ts';
import { createShellProject, hasEnded, type ShellProject } from '../helpers/shell-project.ts';

/*
 * An agent that may write below the project can write into the store that its turn has ended, or hide it. While it
 * lives, nothing acts on that: no second agent is begun beside it, nothing of it is deleted, and kill ends it.
 */

const EXIT = '{"v":1,"code":0,"why":null,"cancelled":false,"ended_at":null,"events_bytes":0}\n';

function plantTurn(turns: string, name: string, kind: string): void {
  mkdirSync(join(turns, name));
  const request = { v: 1, kind, queued: false, nonce: 'x', at: '2026-01-01T00:00:00.000Z' };
  const claimer = { host: 'h', boot_id: 'b', pid_ns: 'n', pid: 1, start: '1', uid: 0 };
  writeFileSync(join(turns, name, 'request.json'), JSON.stringify({ ...request, claimer }));
  for (const file of ['prompt.md', 'events.jsonl', 'stderr.log']) writeFileSync(join(turns, name, file), '');
  if (kind === 'prompt') writeFileSync(join(turns, name, 'exit.json'), EXIT);
}

const WAYS: readonly [name: string, plant: (turn: string) => void][] = [
  ['an end', (turn) => writeFileSync(join(turn, 'exit.json'), EXIT)],
  ['the name of an end', (turn) => writeFileSync(join(turn, 'exit.0'), '')],
  ['no runner', (turn) => rmSync(join(turn, 'runner.stat'))],
  ['another finished turn', (turn) => plantTurn(dirname(turn), '2', 'prompt')],
  ['a tombstone', (turn) => plantTurn(dirname(turn), '2', 'tombstone')],
  [
    'a tombstone of a full disk',
    (turn) => linkSync(join(turn, '../../session.json'), join(dirname(turn), '2')),
  ],
  ['no turns', (turn) => rmSync(dirname(turn), { recursive: true })],
  ['no request', (turn) => rmSync(join(turn, 'request.json'))],
  ['another nonce', (turn) => plantNonce(turn)],
  ['no session.json', (turn) => rmSync(join(turn, '../../session.json'))],
  ['turns that are closed', (turn) => chmodSync(dirname(turn), 0)],
  [
    'a copy in its place',
    (turn) => {
      renameSync(turn, `${turn}-moved`);
      cpSync(`${turn}-moved`, turn, { recursive: true });
      writeFileSync(join(turn, 'exit.json'), EXIT);
    },
  ],
];

function plantNonce(turn: string): void {
  plantTurn(turn, '../request', 'tombstone');
  const planted = join(dirname(turn), 'request');
  cpSync(join(planted, 'request.json'), join(turn, 'request.json'));
  rmSync(planted, { recursive: true });
}

async function codeOf(project: ShellProject, ...args: string[]): Promise<number> {
  return (await project.run(args)).code;
}

test.each(WAYS)(
  'while its agent lives, %s lets nothing be begun or deleted, and kill ends it',
  async (_, plant) => {
    const project = createShellProject();
    const id = await project.begin('hang');
    const turn = dirname(project.turnFile(id, 1, 'x'));
    plant(turn);

    expect(await codeOf(project, 'ls')).toBe(0);
    expect(await codeOf(project, 'inject', id, 'quick')).toBeGreaterThan(0);
    expect(await codeOf(project, 'rm', id)).toBeGreaterThan(0);
    expect(await codeOf(project, 'clean', '--days', '0')).toBe(0);
    expect(project.runs()).toHaveLength(1);
    expect(project.marked(id).length).toBeGreaterThanOrEqual(2);

    const { code, stderr } = await project.run(['kill', '--all']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(project.runs().map(({ pid }) => hasEnded(pid))).toEqual([true]);
    await eventually('its runner has settled', () => project.marked(id).length === 0);
    // What is closed to us we may not delete.
    if (existsSync(dirname(turn))) chmodSync(dirname(turn), 0o700);
    expect(await codeOf(project, 'rm', id)).toBe(0);
  },
);
