import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import type { ModelStep } from '../helpers/anthropic-model.ts';
import { CLAUDE, claudeEnvironment } from '../helpers/claude.ts';
import { createCodexProject } from '../helpers/codex.ts';
import { place } from '../helpers/config.ts';
import { INSTALLATIONS, isInstalled } from '../helpers/installed.ts';
import { call, OPENCODE, opencodeEnvironment } from '../helpers/opencode.ts';
import { connectTools } from '../helpers/tools-client.ts';

// Several real agents in one project.

/** A project with the real Codex, Claude Code and, if it is here, opencode, each with a model that plays its part. */
async function createSwarm(
  { onTestFinished: finished }: TestContext,
  codex: Parameters<typeof createCodexProject>[1]['script'],
  claude: readonly ModelStep[],
  opencode: readonly object[] = [],
) {
  const project = await createCodexProject(finished, { script: codex });
  const home = mkdtempSync(join(INSTALLATIONS, 'swarm-home-'));
  finished(() => rm(home, { recursive: true, force: true, maxRetries: 20 }));
  const { model, env } = await claudeEnvironment(finished, home, claude);
  Object.assign(project.env, env);
  if (isInstalled(OPENCODE) && opencode.length > 0) {
    const rules = [{ prompt: 'who you are', steps: opencode }];
    Object.assign(project.env, (await opencodeEnvironment(finished, home, { rules })).env);
    mkdirSync(join(project.base, 'home/.local/state/opencode'), { recursive: true });
  }
  // Where no bwrap is.
  const config = project.env['XDG_CONFIG_HOME'] ?? join(project.base, 'home/.config');
  place(join(config, 'zwarm/config.toml'), 'unconfined = true\n');
  return { ...project, claude: model };
}

test.runIf(isInstalled(CLAUDE))(
  'one swarm of them is delegated to, waited for and read in the same shape',
  async (t) => {
    const project = await createSwarm(
      t,
      { steps: [{ message: 'on it', shell: 'echo by codex' }, { message: 'codex is done' }] },
      [{ text: 'on it', tools: [['Bash', { command: 'echo by claude' }]] }, { text: 'claude is done' }],
      [
        call('bash', { command: 'echo by opencode', description: 'a command' }, 'on it'),
        { message: 'opencode is done' },
      ],
    );
    const { ok } = await connectTools(project);
    const agents = ['codex', 'claude', ...(isInstalled(OPENCODE) ? ['opencode'] : [])];
    const ids: string[] = [];
    for (const agent of agents)
      ids.push((await ok('delegate', { task: 'say who you are', agent, mode: 'async' })).session_id);
    // A call ends before a client gives it up, which a busy machine can be slower than: then it is told to call again.
    let { sessions, running } = await ok('wait_sessions', { ids });
    while (running > 0) ({ sessions, running } = await ok('wait_sessions', { ids }));
    expect(sessions.map((one: { response: string }) => one.response)).toEqual(
      agents.map((agent) => `${agent} is done`),
    );
    for (const [i, agent] of agents.entries()) {
      const { steps } = await ok('get_trajectory', { session_id: ids[i], full: true });
      expect(steps).toMatchObject([
        { type: 'user_message', content: 'say who you are', step: null },
        { type: 'message', content: 'on it', step: 1 },
        {
          type: 'command',
          command: `echo by ${agent}`,
          output: expect.stringMatching(new RegExp(`^by ${agent}\n?$`)),
          exit_code: 0,
          status: 'completed',
        },
        { type: 'message', content: `${agent} is done`, step: 3 },
      ]);
      expect(await ok('check_session', { session_id: ids[i] })).toMatchObject({ agent, status: 'completed' });
    }
  },
);

test.runIf(isInstalled(CLAUDE))(
  'a conversation of Codex goes on with Claude Code, and comes back',
  async (t) => {
    const project = await createSwarm(
      t,
      // Of each thread anew.
      { steps: [{ message: 'the answer is forty-two' }] },
      [{ text: 'codex said forty-two' }, { text: 'still so' }],
    );
    const id = await project.ended(['what is the answer?']);
    expect(await project.ok(['inject', id, '-a', 'claude', '--wait', 'what did you say?'])).toBe(
      'codex said forty-two',
    );
    expect(project.claude.told().join('\n')).toMatch(
      /what is the answer\?[\s\S]*the answer is forty-two[\s\S]*what did you say\?/,
    );
    expect(await project.ok(['inject', id, '--wait', 'sure?'])).toBe('still so');
    expect(await project.ok(['inject', id, '-a', 'codex', '--wait', 'is it so?'])).toBe(
      'the answer is forty-two',
    );
    expect((await project.told(id)).join('\n')).toMatch(/codex said forty-two[\s\S]*sure\?[\s\S]*is it so\?/);
    const { turns } = await project.show(id);
    expect(turns.map(({ agent, how }) => `${agent} ${how}`)).toEqual([
      'codex fresh',
      'claude replay',
      'claude native',
      'codex replay',
    ]);
  },
);
