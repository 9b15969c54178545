import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../helpers/config.ts';
import { git } from '../helpers/git.ts';
import { eventually, type Project } from '../helpers/project.ts';
import { createRepository } from '../helpers/repository.ts';
import { connectTools } from '../helpers/tools-client.ts';

/* What belongs to the moment of a command does not outlive it: its agents run on when that has passed. */

/** As in a `pre-commit` hook of another repository, below Codex and Claude Code. */
function moment({ base }: Project): Record<string, string> {
  return {
    GIT_DIR: join(base, 'elsewhere/.git'),
    GIT_INDEX_FILE: join(base, 'elsewhere/.git/index.lock'),
    GIT_EXEC_PATH: '/usr/lib/git-core',
    GIT_EDITOR: ':',
    GIT_AUTHOR_DATE: '@1795875106 +0000',
    GIT_COMMITTER_NAME: 'n',
    CODEX_SANDBOX: 'seatbelt',
    CODEX_SANDBOX_NETWORK_DISABLED: '1',
    CODEX_THREAD_ID: 'x',
    CODEX_INTERNAL_ORIGINATOR_OVERRIDE: 'x',
    CLAUDECODE: '1',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    CLAUDE_CODE_MESSAGING_TOKEN: 'x',
    OPENCODE_PID: '1',
  };
}

/** What stays: it configures, or logs in. */
const KEPT = {
  ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'a.b', GIT_CONFIG_VALUE_0: 'c' },
  ...{ CODEX_API_KEY: 'k', CLAUDE_CODE_MAX_RETRIES: '1', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' },
};

/** The variables of these that a program has written down. */
function found(project: Project, name: string): string[] {
  const lines = readFileSync(join(project.directory, name), 'utf8').split('\n');
  const names = [...Object.keys(moment(project)), ...Object.keys(KEPT)];
  return names.filter((one) => lines.some((line) => line.startsWith(`${one}=`)));
}

test('agents and the program that is told of their end get nothing of the moment in which they were asked for', async () => {
  const project = createRepository();
  const { ok } = project;
  const env = { ...moment(project), ...KEPT };
  Object.assign(project.env, env);
  const program = join(project.base, 'tell');
  const notified = `'${project.directory}/notified'`;
  const tell = `#!/bin/sh\ncat > /dev/null; env > ${notified}.new; mv ${notified}.new ${notified}\n`;
  writeFileSync(program, tell, { mode: 0o755 });
  place(join(project.base, 'home/.config/zwarm/config.toml'), `notify = ["${program}"]\nmax_running = 3\n`);
  const writes = (name: string): string => `run env > ${name}.new; mv ${name}.new ${name}`;

  const id = await ok(['start', '-q', writes('started')]);
  await ok(['wait', '-q', id]);
  await project.settled(id);
  await ok(['inject', '-q', '--wait', id, writes('injected')]);
  await ok(['inject', '-q', id, 'hang']);
  await ok(['inject', '-q', '--interrupt', '--wait', id, writes('interrupted')]);
  await ok(['fork', '-q', '--wait', id, writes('forked')]);
  await ok(['start', '-q', '-W', '--wait', `run env > '${project.directory}/in-tree'`]);
  const waiting = await ok(['start', '-q', '--queue', writes('waited')]);
  await ok(['wait', '-q', waiting]);
  const tools = await connectTools(project);
  const { session_id: delegated } = await tools.ok('delegate', { task: writes('delegated') });
  await eventually('it was delegated', async () => (await project.show(delegated)).status === 'completed');
  await project.asProcess(['exec', id, '--', 'sh', '-c', 'env > executed']);

  await eventually('the program is called', () => readdirSync(project.directory).includes('notified'));
  const programs = [
    'started',
    'injected',
    'interrupted',
    'forked',
    'in-tree',
    'waited',
    'delegated',
    'notified',
  ];
  for (const name of programs) expect([name, found(project, name)]).toEqual([name, Object.keys(KEPT)]);
  // It runs in this very moment, only elsewhere.
  const ofAgents = Object.keys(moment(project)).filter((name) => !name.startsWith('GIT_'));
  expect(found(project, 'executed')).toEqual([...ofAgents, ...Object.keys(KEPT)]);
});

test('a repository that was named by hand is said once to be none of the agents', async () => {
  const project = createRepository();
  const other = createRepository();
  const env = { GIT_DIR: join(other.directory, '.git'), GIT_WORK_TREE: other.directory };
  const warning =
    'zwarm: warning: GIT_DIR of your environment is not passed on: each agent works in the repository of its own directory\n';
  const commit = 'run git -c user.name=a -c user.email=a@b commit -q --allow-empty -m "of an agent"';
  const first = await project.zwarm(['start', '--wait', commit], { env });
  expect(first).toMatchObject({ code: 0, stderr: warning });
  expect(await project.zwarm(['start', '--wait', 'quick'], { env })).toMatchObject({ code: 0, stderr: '' });
  expect(git(project.directory, 'log', '-1', '--format=%s')).toBe('of an agent');
  expect(git(other.directory, 'log', '-1', '--format=%s')).toBe('c');
});
