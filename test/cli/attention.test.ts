import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onScreen, type ScreenOptions } from '../helpers/context.ts';
import { createProject, type Project } from '../helpers/project.ts';

const FIRST = 'attentaaaa';
const SECOND = 'attentbbbb';

async function run(project: Project, args: string[], options: ScreenOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await onScreen(project, args, options);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** Gives a session a turn whose end was seen by an agent alone. */
async function unseen(project: Project, id: string, verb = ['start']): Promise<void> {
  await run(project, [...verb, `task of ${id}`], { newId: id });
  await run(project, ['wait', id], { env: { ZWARM_SESSION_ID: 'zzzzzzzzzz' } });
}

async function needing(project: Project, env: Record<string, string> = {}): Promise<string> {
  return run(project, ['ls', '-q', '--attention'], { env });
}

test('what has ended needs attention until it was shown, then again after its next turn', async () => {
  const project = createProject();
  await unseen(project, FIRST);
  expect(await needing(project)).toBe(`${FIRST}\n`);
  expect(await run(project, ['ls'], { tty: true, env: { NO_COLOR: '1' } })).toMatch(/completed • +1 /);
  // As it was before it was shown.
  expect(JSON.parse(await run(project, ['show', FIRST, '--json'])).needs_attention).toBe(true);
  expect(JSON.parse(await run(project, ['show', FIRST, '--json'])).needs_attention).toBe(false);
  expect(await needing(project)).toBe('');
  expect(await run(project, ['ls'], { tty: true })).not.toContain('•');
  await unseen(project, FIRST, ['inject', FIRST]);
  expect(await needing(project)).toBe(`${FIRST}\n`);
  await run(project, ['show', FIRST, '--turn', '1']);
  expect(await needing(project)).toBe(`${FIRST}\n`);
  await run(project, ['show', FIRST, '--turn', '2']);
  expect(await needing(project)).toBe('');
});

test('those who wait have seen the end; lists, logs and trajectories are no look at it', async () => {
  const project = createProject();
  await run(project, ['start', '--wait', 'mine'], { newId: FIRST });
  expect(await needing(project)).toBe('');
  await run(project, ['inject', '--wait', FIRST, 'again']);
  expect(await needing(project)).toBe('');
  await unseen(project, SECOND);
  for (const verb of [['ls'], ['ls', '--json'], ['logs', SECOND], ['trajectory', SECOND]]) {
    await run(project, verb);
  }
  expect(await needing(project)).toBe(`${SECOND}\n`);
  await run(project, ['wait', SECOND]);
  expect(await needing(project)).toBe('');
});

test('each caller has own marks; one that cannot be kept changes neither output nor exit code', async () => {
  const project = createProject();
  await unseen(project, FIRST);
  expect(await needing(project, { ZWARM_SESSION_ID: 'zzzzzzzzzz' })).toBe('');
  expect(await needing(project, { ZWARM_SESSION_ID: 'yyyyyyyyyy' })).toBe(`${FIRST}\n`);
  rmSync(join(project.state, 'seen'), { recursive: true });
  writeFileSync(join(project.state, 'seen'), '');
  const { code, stdout, stderr } = await onScreen(project, ['show', FIRST]);
  expect(code).toBe(0);
  expect(stdout).toContain('The project prints two lines.');
  expect(stderr).toMatch(/^zwarm: could not record that you have seen attentaaaa: .*\n$/);
});

test('a session that runs needs none and is not marked; the marks of a removed one go with it', async () => {
  const project = createProject();
  await run(project, ['start', 'stay'], { newId: FIRST, env: { FAKE_AGENT_HANG: '1' } });
  const row = async () => JSON.parse(await run(project, ['show', FIRST, '--json']));
  expect((await row()).needs_attention).toBe(false);
  expect(existsSync(join(project.state, 'seen'))).toBe(false);
  await run(project, ['kill', FIRST]);
  expect((await row()).needs_attention).toBe(true);
  const [digest = ''] = readdirSync(join(project.state, 'seen/user'));
  const marks = join(project.state, 'seen/user', digest);
  expect(readdirSync(marks)).toEqual([`${FIRST}.1`]);
  await run(project, ['rm', FIRST]);
  expect(readdirSync(marks)).toEqual([]);
});
