import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../src/core/ids.ts';
import { FOLD_VERSION } from '../../src/manager/session/summary-cache.ts';
import { createSummaryReader } from '../../src/store/summary.ts';
import { createProject, eventually, type Project } from '../helpers/project.ts';

/* The two ways to a row of a list: from the summary, and from the session's own files. */

async function startAndWait(project: Project, args: string[], env = {}): Promise<string> {
  const ended = await project.zwarm(['start', '--wait', '--json', ...args], { env });
  const { id } = JSON.parse(ended.stdout);
  await project.settled(id);
  return id;
}

/** One session of each kind that a list can show; the ids of those that have ended. */
async function fill(project: Project): Promise<string[]> {
  const completed = await startAndWait(project, ['one line', '--name', 'docs']);
  await startAndWait(project, [
    `  Eine „lange“ Geschichte,\n${'äöü 漢字 👩‍👩‍👧 \x1b[2J\t\u202e '.repeat(100)}`,
  ]);
  await startAndWait(project, ['fails'], { FAKE_AGENT_EXIT: '42' });
  await startAndWait(project, ['dies'], { FAKE_AGENT_SIGNAL: 'SIGKILL' });
  await startAndWait(project, ['says nothing'], {
    FAKE_AGENT_STREAM: undefined,
    FAKE_AGENT_STDERR: 'no – 💥\n',
  });
  const killed = await project.start(['is killed'], { env: { FAKE_AGENT_HANG: '1' } });
  await project.ok(['kill', killed]);
  await project.settled(killed);

  await project.ok(['inject', completed, '--wait', 'again']);
  await project.settled(completed, 2);
  const rewound = await startAndWait(project, ['is wound back']);
  await project.ok(['inject', rewound, '--wait', 'forget this']);
  await project.settled(rewound, 2);
  await project.ok(['rewind', rewound, '--to', '1']);
  const parent = { ZWARM_SESSION_ID: completed };
  await project.ok(['fork', completed, '--turn', '1']);
  await startAndWait(project, ['of an agent'], parent);
  return readdirSync(join(project.store(), 'sessions'));
}

const LISTS: readonly (readonly string[])[] = [
  ['ls', '--json'],
  ['ls', '--all'],
  ['ls', '-q', '--sort', 'updated'],
  ['ls', '--tree'],
  ['ls', '--all', '--json', '--grep', 'LINE'],
  ['ls', '--status', 'failed,killed', '-n', '2'],
  ['ls', '--source', 'you'],
];

/** What each of these lists prints, but for how long the one that runs has been running. */
async function listsOf(project: Project): Promise<string[]> {
  const lists = await Promise.all(LISTS.map((args) => project.ok(args)));
  return lists.map((text) => text.replace(/(?<="running",[^}]*"duration_ms": )\d+/g, '0'));
}

test('the row of every session is the same with its summary and without it, byte for byte', async () => {
  const project = createProject();
  const settled = await fill(project);
  const root = project.store();
  const read = createSummaryReader({ root, projectRoot: project.directory }, FOLD_VERSION);
  // What is compared is the fast way with the plain one: each of them has a summary that is current.
  await eventually('all are cached', () => settled.every((id) => read(id as SessionId) !== null));
  const damaged = await startAndWait(project, ['is damaged']);
  rmSync(join(root, 'sessions', damaged, 'summary.json'), { force: true });
  writeFileSync(join(root, 'sessions', damaged, 'session.json'), '{');
  await project.start(['runs'], { env: { FAKE_AGENT_HANG: '1' } });
  await eventually('the last agent runs', () => project.runs().length > settled.length);

  const statuses = (await project.list()).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(['running', 'damaged', 'completed', 'failed', 'killed']));
  const before = await listsOf(project);
  expect(JSON.parse(before[0] ?? '')).toHaveLength(settled.length + 2);
  for (const id of settled) rmSync(join(root, 'sessions', id, 'summary.json'));
  expect(await listsOf(project)).toEqual(before);
});
