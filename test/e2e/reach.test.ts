import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProject, type Project } from '../helpers/project.ts';

/** Where the agent of a turn in workspace-write could write the state directory: what leads there, in env or arguments. */
const REACHABLE: readonly [
  name: string,
  env: (project: Project) => Record<string, string> | undefined,
  ...args: string[],
][] = [
  ['the project is the home directory', ({ directory }) => ({ HOME: directory })],
  ['the home directory lies below the temporary one', ({ base }) => ({ TMPDIR: base })],
  ['the state directory lies in /tmp', () => ({ ZWARM_DIR: '/tmp/zwarm-of-a-test' })],
  ['ZWARM_DIR lies in the project', ({ directory }) => ({ ZWARM_DIR: join(directory, 'state') })],
  [
    'it is reached through a link',
    ({ base, directory }) => {
      symlinkSync(directory, join(base, 'link'));
      return { XDG_STATE_HOME: join(base, 'link') };
    },
  ],
  [
    'the configuration of Codex names a directory above it',
    (project) => configureCodex(project, '[sandbox_workspace_write]', project.base),
  ],
  [
    'a profile of Codex names it',
    (project) => configureCodex(project, '[profiles.wide.sandbox_workspace_write]', project.env['HOME']),
  ],
  ['--add-dir names a directory above it', () => ({}), '--add-dir', '../home'],
  ['-c names it', () => ({}), '-c', 'sandbox_workspace_write.writable_roots=["~/.local"]'],
];

function configureCodex(project: Project, table: string, root: string | undefined): undefined {
  const directory = join(project.env['HOME'] ?? '', '.codex');
  mkdirSync(directory);
  writeFileSync(
    join(directory, 'config.toml'),
    `${table}\nwritable_roots = [\n  ${JSON.stringify(root)}, # all\n]\n`,
  );
}

test.each(REACHABLE)('a turn is refused where %s', async (_, arrange, ...args) => {
  const project = createProject('p');
  const passed = args.map((arg) => `--agent-arg=${arg}`);
  const refused = await project.zwarm(['start', ...passed, 'hello'], { env: arrange(project) ?? {} });
  expect(refused).toMatchObject({ code: 5, stdout: '' });
  expect(refused.stderr).toMatch(
    /^zwarm: the agent could write to zwarm's own records: \/.+ lies in \/.+, which it may write\nhint: set XDG_STATE_HOME to a directory elsewhere, .+$/m,
  );
  expect(existsSync(join(project.directory, '.zwarm'))).toBe(false);
  expect(project.runs()).toEqual([]);
});

test('the refusal holds for every turn, and not for one that cannot write or can write everywhere', async () => {
  const project = createProject('p');
  const env = { TMPDIR: project.base };
  const id = await project.ended();
  for (const line of [`inject ${id} again`, `fork ${id} again`, `compact ${id}`])
    expect(await project.$(line, { env })).toContain('[exit 5]');
  for (const how of ['-s read-only', '-s danger-full-access', '-a demo'])
    expect(await project.$(`start ${how} hello`, { env })).not.toContain('[exit');
});

test('the user’s own configuration can allow it, the project’s cannot, as doctor says', async () => {
  const project = createProject('p');
  const env = { TMPDIR: project.base };
  const access = async () => {
    const { checks } = JSON.parse((await project.zwarm(['doctor', '--json'], { env })).stdout);
    return checks.find(({ name }: { name: string }) => name === 'agent-access');
  };
  writeFileSync(join(project.directory, 'zwarm.toml'), 'reachable_state = true\n');
  expect(await project.zwarm(['start', 'hello'], { env })).toMatchObject({ code: 5 });
  expect(await access()).toMatchObject({ status: 'failed' });
  await project.ok(['config', 'set', 'reachable_state', 'true']);
  expect(await project.zwarm(['start', 'hello'], { env })).toMatchObject({ code: 0 });
  expect(await access()).toMatchObject({ status: 'ok' });
});

test('start says once that the state directory goes sooner than the project', async () => {
  const env = { ZWARM_DIR: mkdtempSync('/dev/shm/zwarm-test-') };
  // Before the project, so that it is done after it: when nothing writes there any more.
  onTestFinished(() => rmSync(env.ZWARM_DIR, { recursive: true, force: true }));
  const project = createProject('p');
  const first = await project.zwarm(['start', '-s', 'read-only', 'hello'], { env });
  expect(first.stderr).toContain(`${env.ZWARM_DIR} lies on tmpfs, and may be gone sooner than the project`);
  expect((await project.zwarm(['start', '-s', 'read-only', 'hello'], { env })).stderr).toBe('');
});
