import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, type Project } from '../helpers/project.ts';

/** Where the agent of a turn in workspace-write could write the state directory. */
const REACHABLE: readonly {
  readonly name: string;
  readonly args?: readonly string[];
  readonly arrange?: (project: Project) => Record<string, string> | undefined;
}[] = [
  { name: 'the project is the home directory', arrange: ({ directory }) => ({ HOME: directory }) },
  { name: 'the home directory lies below the temporary one', arrange: ({ base }) => ({ TMPDIR: base }) },
  { name: 'the state directory lies in /tmp', arrange: () => ({ ZWARM_DIR: '/tmp/zwarm-of-a-test' }) },
  {
    name: 'ZWARM_DIR lies in the project',
    arrange: ({ directory }) => ({ ZWARM_DIR: join(directory, 'state') }),
  },
  {
    name: 'it is reached through a link',
    arrange({ base, directory }) {
      mkdirSync(join(directory, 'real'));
      symlinkSync(join(directory, 'real'), join(base, 'link'));
      return { XDG_STATE_HOME: join(base, 'link') };
    },
  },
  {
    name: 'the configuration of Codex names a directory above it',
    arrange: (project) => configureCodex(project, '[sandbox_workspace_write]', project.base),
  },
  {
    name: 'a profile of Codex names it',
    arrange: (project) =>
      configureCodex(project, '[profiles.wide.sandbox_workspace_write]', project.env['HOME']),
  },
  { name: '--add-dir names a directory above it', args: ['--add-dir', '../home'] },
  { name: '-c names it', args: ['-c', 'sandbox_workspace_write.writable_roots=["~/.local"]'] },
];

function configureCodex(project: Project, table: string, root: string | undefined): undefined {
  const directory = join(project.env['HOME'] ?? '', '.codex');
  mkdirSync(directory);
  writeFileSync(
    join(directory, 'config.toml'),
    `${table}\nwritable_roots = [\n  ${JSON.stringify(root)}, # all\n]\n`,
  );
}

const passed = (args: readonly string[]): string[] => args.map((arg) => `--agent-arg=${arg}`);

test.concurrent.for(REACHABLE)('a turn is refused where $name', async ({ args = [], arrange }, t) => {
  const project = createProject('p', t.onTestFinished);
  const options = { env: arrange?.(project) ?? {} };
  const refused = await project.zwarm(['start', ...passed(args), 'hello'], options);
  expect(refused).toMatchObject({ code: 5, stdout: '' });
  expect(refused.stderr).toMatch(
    /^zwarm: the agent could write to zwarm's own records: \/.+ lies in \/.+, which it may write\nhint: set XDG_STATE_HOME to a directory elsewhere, .+$/m,
  );
  expect(existsSync(join(project.directory, '.zwarm'))).toBe(false);
  expect(project.runs()).toEqual([]);
});

test.concurrent('the refusal holds for every turn, and not for one that cannot write or can write everywhere', async (t) => {
  const project = createProject('p', t.onTestFinished);
  const env = { TMPDIR: project.base };
  const id = await project.start(['hello']);
  await project.ok(['wait', id]);
  expect(await project.zwarm(['inject', id, 'again'], { env })).toMatchObject({ code: 5 });
  expect(await project.zwarm(['fork', id, 'again'], { env })).toMatchObject({ code: 5 });
  expect(await project.zwarm(['compact', id], { env })).toMatchObject({ code: 5 });
  for (const sandbox of ['read-only', 'danger-full-access'])
    expect(await project.zwarm(['start', '-s', sandbox, 'hello'], { env })).toMatchObject({ code: 0 });
  expect(await project.zwarm(['start', '-a', 'demo', 'hello'], { env })).toMatchObject({ code: 0 });
});

test.concurrent('the user’s own configuration can allow it, the project’s cannot; doctor tells', async (t) => {
  const project = createProject('p', t.onTestFinished);
  const env = { TMPDIR: project.base };
  const access = async () =>
    JSON.parse((await project.zwarm(['doctor', '--json'], { env })).stdout).checks.find(
      ({ name }: { name: string }) => name === 'agent-access',
    );
  writeFileSync(join(project.directory, 'zwarm.toml'), 'reachable_state = true\n');
  expect(await project.zwarm(['start', 'hello'], { env })).toMatchObject({ code: 5 });
  expect(await access()).toMatchObject({ status: 'failed' });
  await project.ok(['config', 'set', 'reachable_state', 'true']);
  expect(await project.zwarm(['start', 'hello'], { env })).toMatchObject({ code: 0 });
  expect(await access()).toMatchObject({ status: 'ok' });
});

test.concurrent('start says once that the state directory goes sooner than the project', async (t) => {
  const env = { ZWARM_DIR: mkdtempSync('/dev/shm/zwarm-test-') };
  // Before the project, so that it is done after it: when nothing writes there any more.
  t.onTestFinished(() => rmSync(env.ZWARM_DIR, { recursive: true, force: true }));
  const project = createProject('p', t.onTestFinished);
  const first = await project.zwarm(['start', '-s', 'read-only', 'hello'], { env });
  expect(first.stderr).toContain(`${env.ZWARM_DIR} lies on tmpfs, and may be gone sooner than the project`);
  expect((await project.zwarm(['start', '-s', 'read-only', 'hello'], { env })).stderr).toBe('');
});
