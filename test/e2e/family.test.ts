import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSessions } from '../../src/index.ts';
import { createShellProject, eventually, type Project, processesWith } from '../helpers/project.ts';
import { snapshot } from '../helpers/tree.ts';

const START = '"$ZWARM_NODE" "$ZWARM_MAIN" start';

/** Lets agents of agents start agents. */
const allowGenerations = (project: Project) => project.zwarm(['config', 'set', 'max_depth', '3']);

/** Three living generations, each started by the agent of the one before it; their ids, oldest first. */
async function createFamily(project: Project): Promise<readonly string[]> {
  await allowGenerations(project);
  const script = (name: string, below: string): void =>
    writeFileSync(join(project.directory, name), `${START} "${below}" > ${name}.id\nexec sleep 86400\n`);
  script('parent.sh', 'run sh child.sh');
  script('child.sh', 'hang');
  const parent = await project.begin('run sh parent.sh');
  return [parent, await project.written('parent.sh.id'), await project.written('child.sh.id')];
}

async function statuses(project: Project): Promise<Record<string, string>> {
  return Object.fromEntries((await project.list()).map(({ id, status }) => [id, status]));
}

test('kill ends one session, and with --tree all that its agents have started, the named one first', async () => {
  const project = createShellProject();
  const [parent = '', child = '', grandchild = ''] = await createFamily(project);
  const other = await project.begin('hang');
  expect(await project.$('ls --tree -q')).toBe([other, parent, child, grandchild, ''].join('\n'));
  const screen = await project.zwarm(['ls', '--tree'], { tty: true, env: { NO_COLOR: '1' } });
  expect(screen.stdout).toMatch(new RegExp(`└─ ${child} .* orch:${parent.slice(0, 4)} `));
  expect(screen.stdout).toMatch(new RegExp(` {3}└─ ${grandchild} `));
  expect(await project.$(`ls -q --source orch:${parent}`)).toBe(`${child}\n`);

  await project.ok(['kill', child]);
  const running = { [parent]: 'running', [grandchild]: 'running', [other]: 'running' };
  expect(await statuses(project)).toEqual({ [child]: 'killed', ...running });
  // One of them does not run itself, which is no error: others of the tree do.
  expect(await project.$(`kill --tree ${child}`)).toBe(`${grandchild} killed\n`);
  expect(await project.$(`kill --tree ${child}`)).toContain('[exit 4]');
  await project.ok(['inject', child, 'run sh child.sh']);
  await eventually('it has children again', async () => (await project.list()).length === 5);
  const killed = (await project.ok(['kill', '--tree', parent])).split('\n');
  expect([killed[0], killed.length]).toEqual([`${parent} killed`, 3]);
  const { [other]: untouched, ...ended } = await statuses(project);
  expect(untouched).toBe('running');
  expect(new Set(Object.values(ended))).toEqual(new Set(['killed']));
  expect(await project.$(`kill --tree ${parent}`)).toContain('[exit 4]');
});

test('kill --tree ends what is started while it is at it', async () => {
  const project = createShellProject();
  const { directory } = project;
  await allowGenerations(project);
  const onEnd = `trap '${START} hang > last; exit' INT TERM`;
  writeFileSync(join(directory, 'child.sh'), `${onEnd}\necho 1 > ready\nwhile :; do sleep 0.1; done\n`);
  const id = await project.begin(`run ${START} "run sh child.sh"; exec sleep 86400`);
  await project.written('ready');
  const { code, stdout } = await project.zwarm(['kill', '--tree', id]);
  expect(code).toBe(0);
  const last = await project.written('last');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`${last} killed`);
  expect(await statuses(project)).toMatchObject({ [id]: 'killed', [last]: 'killed' });
});

test('a loop of ls, show and list writes nothing below .zwarm and starts nothing', async () => {
  const project = createShellProject();
  const id = await project.ended(['quick']);
  await project.zwarm(['start', '--wait', 'break']);
  const atWork = (): number[] => processesWith(`HOME=${project.base}/`);
  await eventually('all is quiet', () => atWork().length === 0);
  const sessions = openSessions({ cwd: project.directory, env: project.env });
  const before = snapshot(project.store());
  for (const line of ['ls', 'ls --json', 'ls --tree', 'ls --attention', `show ${id}`, 'show @last', 'ls'])
    expect(await project.$(line)).not.toContain('[exit');
  await sessions.list();
  expect(snapshot(project.store())).toEqual(before);
  expect(project.runs()).toHaveLength(2);
  expect(atWork()).toEqual([]);
});
