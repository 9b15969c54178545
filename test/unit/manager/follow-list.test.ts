import { appendFileSync, existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionSummary } from '../../../src/core/session.ts';
import { installation } from '../../../src/installation.ts';
import { type ListOptions, watchList } from '../../../src/manager/commands/ls.ts';
import { createShellProject, type Project } from '../../helpers/project.ts';

const NEVER = 2 ** 30;

/** The list of a project, watched; by default nothing but what the kernel tells makes it look again. */
function watched(project: Project, options: ListOptions = {}, lookAgainMs = NEVER) {
  const end = new AbortController();
  const outside = { ...installation(), client: null, project: null, stateDir: null };
  const context = { ...outside, cwd: project.directory, env: project.env, uid: process.getuid?.() ?? 0 };
  const lists = watchList(context, () => options, end.signal, lookAgainMs);
  onTestFinished(async () => {
    end.abort();
    await lists.return(undefined);
  });
  const next = async (): Promise<readonly SessionSummary[]> => {
    const { value, done } = await lists.next();
    if (done) throw new Error('the list has ended');
    return value.rows;
  };
  return {
    /** Waits until the list is this, as `tell` tells of its rows. */
    async shows(wanted: readonly string[], tell = (row: SessionSummary) => `${row.name} ${row.status}`) {
      while ((await next()).map(tell).join() !== wanted.join());
    },
    lists,
    end,
  };
}

const said = (text: string): string =>
  `${JSON.stringify({ type: 'item.completed', item: { id: 'x', type: 'agent_message', text } })}\n`;

test('what happens to sessions is seen as it happens', async () => {
  const project = createShellProject();
  await project.ended(['quick', '--name', 'old']);
  const { shows } = watched(project);
  await shows(['old completed']);
  const id = await project.begin('hang');
  await shows(['null running', 'old completed']);
  appendFileSync(project.turnFile(id, 1, 'events.jsonl'), said('so far'));
  await shows(['so far', 'done'], (row) => row.last_message ?? '');
  await project.ok(['name', id, 'new']);
  await shows(['new running', 'old completed']);
  // A session that had ended goes on.
  await project.ok(['inject', 'old', 'hang']);
  await shows(['old running', 'new running']);
  await project.ok(['kill', 'old']);
  await project.ok(['kill', 'new']);
  await shows(['new killed', 'old killed']);
  await project.ok(['rm', 'old']);
  await shows(['new killed']);
});

test('what somebody has looked at is marked no more', async () => {
  const project = createShellProject();
  for (const name of ['old', 'new']) {
    const id = await project.ok(['start', 'quick', '-q', '--name', name]);
    await project.ok(['wait', name], { env: { ZWARM_SESSION_ID: 'zzzzzzzzzz' } });
    await project.settled(id);
  }
  // Nobody has looked at anything yet, so that there are no marks.
  expect(existsSync(join(project.state, 'seen', 'user'))).toBe(false);
  const { shows } = watched(project);
  const marks = ({ name, needs_attention }: SessionSummary) => `${name} ${needs_attention}`;
  await shows(['new true', 'old true'], marks);
  await project.ok(['show', 'new']);
  await shows(['new false', 'old true'], marks);
  await project.ok(['show', 'old']);
  await shows(['new false', 'old false'], marks);
});

test('a filter holds for what comes, and what it leaves out is watched all the same', async () => {
  const project = createShellProject();
  await project.ended(['quick', '--name', 'old']);
  const { shows } = watched(project, { statuses: ['failed'] }, 1);
  await shows([]);
  await project.start(['break', '--name', 'x']);
  await shows(['x failed']);
  // Its directory is not watched, as it is not shown.
  await project.ok(['inject', 'old', 'break']);
  await shows(['old failed', 'x failed']);
});

test('what no notification tells is found by looking again: the first session of all, a word, a runner that died', async () => {
  const project = createShellProject();
  const { shows } = watched(project, {}, 1);
  await shows([]);
  const id = await project.begin('hang');
  const [events, elsewhere] = [project.turnFile(id, 1, 'events.jsonl'), join(project.base, 'elsewhere')];
  linkSync(events, elsewhere);
  // Until what its beginning has changed was seen.
  for (let looks = 0; looks < 3; looks += 1) await shows(['null running']);
  appendFileSync(elsewhere, said('by another path'));
  await shows(['by another path'], (row) => row.last_message ?? '');
  const { pid } = JSON.parse(readFileSync(project.turnFile(id, 1, 'runner.stat'), 'utf8'));
  process.kill(-pid, 'SIGKILL');
  await shows(['null lost']);
});

test('a damaged session is in sight, and as it was when it is mended', async () => {
  const project = createShellProject();
  const session = join(project.turnFile(await project.ended(), 1, '..'), '..');
  rmSync(join(session, 'summary.json'));
  renameSync(join(session, 'session.json'), join(session, 'away'));
  const { shows } = watched(project, {}, 1);
  await shows(['null damaged']);
  renameSync(join(session, 'away'), join(session, 'session.json'));
  await shows(['null completed']);
});

test('however much an agent prints, four lists a second are made at most', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const { lists } = watched(project);
  await lists.next();
  const events = project.turnFile(id, 1, 'events.jsonl');
  const talking = setInterval(() => appendFileSync(events, said('again')), 1);
  onTestFinished(() => clearInterval(talking));
  const from = performance.now();
  for (let more = 4; more > 0; more -= 1) await lists.next();
  expect(performance.now() - from).toBeGreaterThanOrEqual(4 * 249);
});

/** How many places this process watches. */
function watches(): number {
  const infos = readdirSync('/proc/self/fd').flatMap((fd) => {
    const path = `/proc/self/fdinfo/${fd}`;
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  });
  return infos.filter((line) => line.startsWith('inotify ')).length;
}

test.runIf(existsSync('/proc/self/fdinfo'))(
  'it ends with its signal, also while it waits, and watches nothing then',
  async () => {
    const project = createShellProject();
    await project.ended();
    const before = watches();
    const { lists, end } = watched(project);
    await lists.next();
    expect(watches()).toBeGreaterThan(before);
    const rest = (async () => {
      for await (const _ of lists);
    })();
    end.abort();
    await rest;
    expect(watches()).toBe(before);
  },
);
