import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionSummary } from '../../src/core/session.ts';
import { openSessions } from '../../src/index.ts';
import { eventually, processesWith } from '../helpers/project.ts';
import { createShellProject, type ShellProject } from '../helpers/shell-project.ts';
import { snapshot } from '../helpers/tree.ts';

const START = '"$ZWARM_NODE" "$ZWARM_MAIN" start';

/** Lets agents of agents start agents. */
const allowGenerations = (project: ShellProject) => project.run(['config', 'set', 'max_depth', '3']);

/** Three living generations, each started by the agent of the one before it; their ids, oldest first. */
async function createFamily(project: ShellProject): Promise<readonly string[]> {
  await allowGenerations(project);
  const script = (name: string, below: string): void =>
    writeFileSync(join(project.directory, name), `${START} "${below}" > ${name}.id\nexec sleep 86400\n`);
  script('parent.sh', 'run sh child.sh');
  script('child.sh', 'hang');
  const parent = await project.begin('run sh parent.sh');
  return [parent, await project.written('parent.sh.id'), await project.written('child.sh.id')];
}

async function statuses(project: ShellProject): Promise<Record<string, string>> {
  const rows: SessionSummary[] = JSON.parse((await project.run(['ls', '--json'])).stdout);
  return Object.fromEntries(rows.map(({ id, status }) => [id, status]));
}

test('kill ends one session, and with --tree all that its agents have started', async () => {
  const project = createShellProject();
  const [parent = '', child = '', grandchild = ''] = await createFamily(project);
  const other = await project.begin('hang');
  const tree = await project.run(['ls', '--tree', '-q']);
  expect(tree.stdout).toBe([other, parent, child, grandchild].map((id) => `${id}\n`).join(''));
  const screen = await project.run(['ls', '--tree'], { tty: true, env: { NO_COLOR: '1' } });
  expect(screen.stdout).toMatch(new RegExp(`└─ ${child} .* orch:${parent.slice(0, 4)} `));
  expect(screen.stdout).toMatch(new RegExp(` {3}└─ ${grandchild} `));
  const from = await project.run(['ls', '-q', '--source', `orch:${parent}`]);
  expect(from.stdout).toBe(`${child}\n`);

  expect((await project.run(['kill', parent])).code).toBe(0);
  const running = { [child]: 'running', [grandchild]: 'running', [other]: 'running' };
  expect(await statuses(project)).toEqual({ [parent]: 'killed', ...running });
  expect(processesWith(`ZWARM_SESSION_ID=${grandchild}`)).not.toEqual([]);

  // It does not run itself, which is no error: something of it did.
  const killed = await project.run(['kill', '--tree', parent, '--json']);
  expect(killed.code, killed.stderr).toBe(0);
  expect(
    JSON.parse(killed.stdout)
      .map(({ id }: SessionSummary) => id)
      .sort(),
  ).toEqual([child, grandchild].sort());
  const ended = { [parent]: 'killed', [child]: 'killed', [grandchild]: 'killed' };
  expect(await statuses(project)).toEqual({ ...ended, [other]: 'running' });
  expect(await project.run(['kill', '--tree', parent])).toMatchObject({ code: 4 });
  const gone = (): boolean => processesWith(`ZWARM_SESSION_ID=${grandchild}`).length === 0;
  // Its runner settles for a moment longer.
  await eventually('its processes have ended', gone);
});

test('kill --tree ends three generations, the named one first', async () => {
  const project = createShellProject();
  const [parent = '', child = '', grandchild = ''] = await createFamily(project);
  const { code, stdout } = await project.run(['kill', '--tree', parent]);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toBe(`${parent} killed`);
  expect(lines.slice(1).sort()).toEqual([`${child} killed`, `${grandchild} killed`].sort());
  expect(await statuses(project)).toEqual({ [parent]: 'killed', [child]: 'killed', [grandchild]: 'killed' });
});

test('kill --tree ends what is started while it is at it', async () => {
  const project = createShellProject();
  const { directory } = project;
  await allowGenerations(project);
  const onEnd = `trap '${START} hang > last; exit' INT TERM`;
  writeFileSync(join(directory, 'child.sh'), `${onEnd}\necho 1 > ready\nwhile :; do sleep 0.1; done\n`);
  const id = await project.begin(`run ${START} "run sh child.sh"; exec sleep 86400`);
  await project.written('ready');
  const { code, stdout } = await project.run(['kill', '--tree', id]);
  expect(code).toBe(0);
  const last = await project.written('last');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`${last} killed`);
  expect(await statuses(project)).toMatchObject({ [id]: 'killed', [last]: 'killed' });
});

test('a loop of ls, show and list writes nothing below .zwarm and starts nothing', async () => {
  const project = createShellProject();
  const done = (await project.run(['start', '--wait', '--json', 'quick'])).stdout;
  const failed = (await project.run(['start', '--wait', '--json', 'break'])).stdout;
  const ids = [done, failed].map((text): string => JSON.parse(text).id);
  for (const id of ids) await project.settled(id);
  const atWork = (): number[] => processesWith(`HOME=${project.base}/`);
  await eventually('all is quiet', () => atWork().length === 0);
  const sessions = openSessions({ cwd: project.directory, env: project.env });
  const before = snapshot(project.store());
  const runs = project.runs().length;
  for (let i = 0; i < 10; i += 1) {
    for (const argv of [
      ['ls'],
      ['ls', '--json'],
      ['ls', '--tree'],
      ['ls', '--attention'],
      ...ids.map((id) => ['show', id]),
    ]) {
      expect((await project.run(argv)).code, argv.join(' ')).toBe(0);
    }
    await sessions.list();
  }
  expect(snapshot(project.store())).toEqual(before);
  expect(project.runs()).toHaveLength(runs);
  expect(atWork()).toEqual([]);
});
