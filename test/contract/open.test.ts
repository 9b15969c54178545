import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as anyTest, expect, type TestContext } from 'vitest';
import { CLAUDE, createClaudeProject } from '../helpers/claude.ts';
import { createCodexProject } from '../helpers/codex.ts';
import { isInstalled } from '../helpers/installed.ts';
import type { Project } from '../helpers/project.ts';
import { HAS_TMUX, openTerminal } from '../helpers/tmux.ts';

// On a terminal of tmux, where the real agents are spoken to as a person does it.

const test = (name: string, run: (t: TestContext) => Promise<void>, isHere = true) =>
  anyTest.runIf(HAS_TMUX && isHere)(name, run);
if (!HAS_TMUX) process.stderr.write('not run, as there is no tmux: what is opened in the agent itself\n');

const turnsOf = async (project: Project, id: string) =>
  (await project.show(id)).turns.map(({ kind, how, status, prompt, answer }) =>
    [kind, how, status, prompt?.trim(), answer].join(' | '),
  );

test('a session of Codex is opened in Codex, spoken to and left, and goes on', async (t) => {
  const project = await createCodexProject(t.onTestFinished, {
    script: {
      scenarios: {
        one: [{ message: 'it is forty-two' }],
        two: [{ message: 'I look', shell: 'echo seen' }, { message: 'still forty-two' }],
        three: [{ message: 'as I said' }],
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
  const { type, shows } = openTerminal(project, ['open', id], t.onTestFinished);
  await shows(/it is forty-two[\s\S]*Ask Codex/);
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
    'external | native | completed | [[two]] and now? | still forty-two',
    'prompt | native | completed | [[three]] sure? | as I said',
  ]);
  const told = (await project.told(id)).filter((line) => line.startsWith('user'));
  expect(told).toEqual(['user: [[one]] what is it?', 'user: [[two]] and now?', 'user: [[three]] sure?']);
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
    'external | native | completed | and now? | still forty-two',
    'prompt | native | completed | sure? | as I said',
  ]);
};
test('a session of Claude Code likewise', withClaude, isInstalled(CLAUDE));
