import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLAUDE, claudeEnvironment } from '../helpers/claude.ts';
import { hostStory, LAST_WORDS } from '../helpers/host-story.ts';
import { orWhyNot } from '../helpers/installed.ts';
import { createShellProject, runProgram } from '../helpers/project.ts';

const missing = await orWhyNot(CLAUDE);

test.runIf(missing === null)(
  'Claude Code reads what is installed for it, tells its project, and its model gets every answer and refusal',
  async (t) => {
    const { base, directory: cwd, env, ok } = createShellProject();
    const story = hostStory(cwd);
    const steps = story.map(({ tool, args }) => ({ tools: [[`mcp__zwarm__${tool}`, args] as const] }));
    const home = join(base, 'claude');
    const { model, env: own } = await claudeEnvironment(t.onTestFinished, home, [
      ...steps,
      { text: LAST_WORDS },
    ]);
    await ok(['mcp', 'install', '--host', 'claude', '--yes']);
    const file = join(cwd, '.mcp.json');
    const installed = JSON.parse(readFileSync(file, 'utf8'));
    const { command, args } = installed.mcpServers.zwarm;
    // Like a host that starts its servers elsewhere: it names its project in CLAUDE_PROJECT_DIR.
    const elsewhere = {
      command: 'sh',
      args: ['-c', `cd "${join(base, 'home')}"; exec "$0" "$@"`, command, ...args],
    };
    Object.assign(installed.mcpServers.zwarm, elsewhere);
    writeFileSync(file, JSON.stringify(installed));
    await ok(['config', 'set', 'allowed_dirs', cwd]);
    const program = join(CLAUDE.directory, 'node_modules', '.bin', 'claude');
    const settings = '{"enableAllProjectMcpServers":true}';
    const options = [
      '-p',
      '--settings',
      settings,
      '--allowedTools',
      'mcp__zwarm',
      '--model',
      'claude-sonnet-4-5',
    ];
    const surroundings = { ...env, ...own, PWD: cwd };
    const { code, stdout, stderr } = await runProgram(program, options, {
      cwd,
      env: surroundings,
      input: 'go',
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain(LAST_WORDS);
    const results = model.told().flatMap((line) => /^result: (.*)/.exec(line)?.[1] ?? []);
    expect(results.map((line) => JSON.parse(line))).toMatchObject(story.map(({ told }) => told));
  },
);
