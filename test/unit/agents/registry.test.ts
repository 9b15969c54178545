import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AGENTS, findAgent, requireAgent } from '../../../src/agents/registry.ts';
import { repositoryFile } from '../../helpers/project.ts';

const folders = readdirSync(repositoryFile('src/agents'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

test('every folder is a registered agent of that name, with the same two files', () => {
  expect(AGENTS.map((agent) => agent.name).sort()).toEqual(folders.sort());
  for (const folder of folders) {
    const missing = ['index', 'translate'].filter(
      (file) => !existsSync(repositoryFile(`src/agents/${folder}/${file}.ts`)),
    );
    expect({ folder, missing }).toEqual({ folder, missing: [] });
  }
});

test('an agent is found by its other names', () => {
  expect(findAgent('claude_code')?.name).toBe('claude');
});

test.each([
  ['codx', 'did you mean codex?'],
  ['gemini', 'choose one of: codex, claude, opencode, demo'],
  ['__proto__', 'choose one of: codex, claude, opencode, demo'],
])('the unknown agent %j: %s', (name, hint) => {
  expect(findAgent(name)).toBeNull();
  expect(() => requireAgent(name)).toThrow(expect.objectContaining({ code: 'usage', hint }));
});
