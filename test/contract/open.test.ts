import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as anyTest, expect, type TestContext } from 'vitest';
import { CLAUDE, createClaudeProject } from '../helpers/claude.ts';
import { createCodexProject } from '../helpers/codex.ts';
import { isInstalled } from '../helpers/installed.ts';
import { eventually, type Project, processesWith } from '../helpers/project.ts';
import { HAS_TMUX, openTerminal } from '../helpers/tmux.ts';

// On a terminal of tmux, where the real agents are spoken to as a person does it.

const test = (name: string, run: (t: TestContext) => Promise<void>, isHere = true) =>
  anyTest.runIf(HAS_TMUX && isHere)(name, run);
if (!HAS_TMUX) process.stderr.write('not run, as there is no tmux: what is opened in the agent itself\n');

const turnsOf = async (project: Project, id: string) =>
  (await project.show(id)).turns.map(({ kind, how, status, prompt, answer }) =>
    [kind, how, status, prompt?.trim(), answer].join(' | '),
  );

async function isBusy(project: Project, id: string, agent: string): Promise<void> {
  const { code, stderr } = await project.asProcess(['inject', id, 'meanwhile']);
  expect({ code, stderr }).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(`${id} is open in ${agent}`),
  });
}

/** A project whose Codex asks nothing before it begins, and a session of it. */
async function createCodexSession({ onTestFinished }: TestContext) {
  const project = await createCodexProject(onTestFinished, {
    script: {
      scenarios: {
        one: [{ message: 'it is forty-two' }],
        two: [{ message: 'I look', shell: 'echo seen' }, { message: 'still forty-two' }],
        three: [{ message: 'as I said' }],
        four: [{ message: 'it is all there' }],
      },
    },
  });
  // Without its questions: whether the directory is trusted, and whether a newer model is wanted.
  const answers = [
    `[projects.${JSON.stringify(project.directory)}]`,
    'trust_level = "trusted"',
    '[notice.model_migrations]',
    '"gpt-5.5" = "gpt-6-sol"',
  ];
  writeFileSync(join(project.codexHome, 'config.toml'), `\n${answers.join('\n')}\n`, { flag: 'a' });
  const id = await project.ended(['-m', 'gpt-5.5', '[[one]] what is it?']);
  return { project, id };
}

test('a session of Codex is opened in Codex, spoken to and left, and goes on', async (t) => {
  const { project, id } = await createCodexSession(t);
  const { type, shows } = openTerminal(project, ['open', id], t.onTestFinished);
  await shows(/it is forty-two[\s\S]*Ask Codex/);
  await isBusy(project, id, 'codex');
  type('[[two]] and now?');
  await shows(/\[\[two\]\] and now\?/);
  type('Enter');
  await shows(/still forty-two[\s\S]*Ask Codex/);
  type('/quit');
  await shows(/\/quit/);
  type('Enter');
  await shows(/1 turn added[\s\S]*\[ended with 0\]/);
  expect(await project.ok(['inject', id, '--wait', '[[three]] sure?'])).toBe('as I said');
  expect(await turnsOf(project, id)).toEqual([
    'prompt | fresh | completed | [[one]] what is it? | it is forty-two',
    'open |  | completed |  | ',
    'external | native | completed | [[two]] and now? | still forty-two',
    'prompt | native | completed | [[three]] sure? | as I said',
  ]);
  const told = (await project.told(id)).filter((line) => line.startsWith('user'));
  expect(told).toEqual(['user: [[one]] what is it?', 'user: [[two]] and now?', 'user: [[three]] sure?']);
});

test('what was said in Codex is there also where the terminal is closed, or the command killed', async (t) => {
  const { project, id } = await createCodexSession(t);
  const speak = async (text: string, turn: number) => {
    const { type, shows, close } = openTerminal(project, ['open', id], t.onTestFinished);
    await shows(/(it is|still) forty-two[\s\S]*Ask Codex/);
    type(text);
    await shows(text);
    type('Enter');
    await eventually('it is answered', async () => {
      const files = readdirSync(project.codexHome, { recursive: true, encoding: 'utf8' });
      const rollout = files.find((file) => file.includes('rollout-')) ?? '';
      const ended = readFileSync(join(project.codexHome, rollout), 'utf8').match(/"task_complete"/g);
      return ended?.length === turn;
    });
    return close;
  };
  const closeFirst = await speak('and [[two]]', 2);
  closeFirst();
  expect(await project.asProcess(['wait', '--answer', id])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('still forty-two'),
  });
  const closeSecond = await speak('and [[three]]', 3);
  const request = JSON.parse(readFileSync(project.turnFile(id, 4, 'request.json'), 'utf8'));
  process.kill(request.claimer.pid, 'SIGKILL');
  await isBusy(project, id, 'codex');
  closeSecond();
  await eventually('Codex has ended', () => processesWith(`CODEX_HOME=${project.codexHome}`).length === 0);
  expect(await project.ok(['inject', id, '--wait', 'and [[four]]'])).toBe('it is all there');
  expect((await turnsOf(project, id)).slice(1)).toEqual([
    'open |  | completed |  | ',
    'external | native | completed | and [[two]] | still forty-two',
    'open |  | completed |  | ',
    'external | native | completed | and [[three]] | as I said',
    'prompt | native | completed | and [[four]] | it is all there',
  ]);
});

const withClaude = async (t: TestContext): Promise<void> => {
  const project = await createClaudeProject(t.onTestFinished, [
    { text: 'it is forty-two' },
    { text: 'still forty-two' },
    { text: 'as I said' },
  ]);
  const settings = {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: ['dummy'], rejected: [] },
    projects: { [project.directory]: { hasTrustDialogAccepted: true } },
  };
  mkdirSync(project.claudeHome);
  writeFileSync(join(project.claudeHome, '.claude.json'), JSON.stringify(settings));
  const id = await project.ended(['what is it?']);
  const { type, shows } = openTerminal(project, ['open', id], t.onTestFinished);
  await shows(/it is forty-two/);
  await isBusy(project, id, 'claude');
  type('and now?');
  await shows(/and now\?/);
  type('Enter');
  await shows(/still forty-two/);
  type('/exit');
  await shows(/\/exit/);
  type('Enter');
  await shows(/1 turn added[\s\S]*\[ended with 0\]/);
  expect(await project.ok(['inject', id, '--wait', 'sure?'])).toBe('as I said');
  expect(await turnsOf(project, id)).toEqual([
    'prompt | fresh | completed | what is it? | it is forty-two',
    'open |  | completed |  | ',
    'external | native | completed | and now? | still forty-two',
    'prompt | native | completed | sure? | as I said',
  ]);
};
test('a session of Claude Code likewise', withClaude, isInstalled(CLAUDE));
