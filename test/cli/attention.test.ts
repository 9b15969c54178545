import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, type Project } from '../helpers/project.ts';

const FIRST = 'attentaaaa';
const SECOND = 'attentbbbb';

/** Gives a session a turn whose end was seen by an agent alone. */
async function unseen(project: Project, id: string, verb = ['start']): Promise<void> {
  await project.ok([...verb, `task of ${id}`], { newId: id });
  await project.ok(['wait', id], { env: { ZWARM_SESSION_ID: 'zzzzzzzzzz' } });
}

const needing = (project: Project, env: Record<string, string> = {}): Promise<string> =>
  project.ok(['ls', '-q', '--attention'], { env });

test('what has ended needs attention until it was shown, then again after its next turn', async () => {
  const project = createProject();
  await unseen(project, FIRST);
  expect(await needing(project)).toBe(FIRST);
  expect(await project.ok(['ls'], { tty: true, env: { NO_COLOR: '1' } })).toMatch(
    /completed • .*\n• ended since you last looked$/s,
  );
  // As it was before it was shown.
  expect((await project.show(FIRST)).needs_attention).toBe(true);
  expect((await project.show(FIRST)).needs_attention).toBe(false);
  expect(await needing(project)).toBe('');
  expect(await project.ok(['ls'], { tty: true })).not.toContain('•');
  await unseen(project, FIRST, ['inject', FIRST]);
  expect(await needing(project)).toBe(FIRST);
  await project.ok(['show', FIRST, '--turn', '1']);
  expect(await needing(project)).toBe(FIRST);
  await project.ok(['show', FIRST, '--turn', '2']);
  expect(await needing(project)).toBe('');
});

test('those who wait have seen the end; lists, logs and trajectories are no look at it', async () => {
  const project = createProject();
  await project.ok(['start', '--wait', 'mine'], { newId: FIRST });
  expect(await needing(project)).toBe('');
  await project.ok(['inject', '--wait', FIRST, 'again']);
  expect(await needing(project)).toBe('');
  await unseen(project, SECOND);
  for (const verb of [['ls'], ['ls', '--json'], ['logs', SECOND], ['trajectory', SECOND]])
    await project.ok(verb);
  expect(await needing(project)).toBe(SECOND);
  for (const how of [[], ['-q'], ['--json'], ['--answer']]) {
    await unseen(project, SECOND, ['inject', SECOND]);
    await project.ok(['wait', SECOND, ...how]);
    expect(await needing(project), how.join()).toBe('');
  }
});

test('each caller has own marks, and a caller other than the user cares for what it started itself', async () => {
  const project = createProject();
  const parent = await project.ended(['start another']);
  const agent = { ZWARM_SESSION_ID: parent };
  await project.ok(['start', 'of the agent'], { newId: FIRST, env: agent });
  await unseen(project, SECOND);
  await project.settled(FIRST);
  expect(await needing(project)).toBe(`${SECOND}\n${FIRST}`);
  expect(await needing(project, agent)).toBe(FIRST);
  await project.ok(['show', FIRST], { env: agent });
  expect(await needing(project, agent)).toBe('');
  expect(await needing(project)).toBe(`${SECOND}\n${FIRST}`);
});

test('a mark that cannot be kept changes neither output nor exit code', async () => {
  const project = createProject();
  await unseen(project, FIRST);
  rmSync(join(project.state, 'seen'), { recursive: true });
  writeFileSync(join(project.state, 'seen'), '');
  const { code, stdout, stderr } = await project.zwarm(['show', FIRST]);
  expect(code).toBe(0);
  expect(stdout).toContain('The project prints two lines.');
  expect(stderr).toMatch(/^zwarm: could not record that you have seen attentaaaa: .*\n$/);
});

test('a session that runs needs none and is not marked; the marks of a removed one go with it', async () => {
  const project = createProject();
  await project.ok(['start', 'stay'], { newId: FIRST, env: { FAKE_AGENT_HANG: '1' } });
  expect((await project.show(FIRST)).needs_attention).toBe(false);
  expect(existsSync(join(project.state, 'seen'))).toBe(false);
  // Whoever has ended it has seen its end.
  await project.ok(['kill', FIRST]);
  expect((await project.show(FIRST)).needs_attention).toBe(false);
  const [digest = ''] = readdirSync(join(project.state, 'seen/user'));
  const marks = join(project.state, 'seen/user', digest);
  expect(readdirSync(marks)).toEqual([`${FIRST}.1`]);
  await project.ok(['rm', FIRST]);
  expect(readdirSync(marks)).toEqual([]);
});
