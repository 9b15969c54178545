import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AGENTS, findAgent, requireAgent } from '../../../src/agents/registry.ts';
import { repositoryFile } from '../../helpers/project.ts';

const folders = readdirSync(repositoryFile('src/agents'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const NAMES = AGENTS.map(({ name }) => name);

test('every folder is a registered agent of that name, with the same two files', () => {
  expect([...NAMES].sort()).toEqual(folders.sort());
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
  ['gemini', `choose one of: ${NAMES.join(', ')}`],
  ['__proto__', `choose one of: ${NAMES.join(', ')}`],
])('the unknown agent %j: %s', (name, hint) => {
  expect(findAgent(name)).toBeNull();
  expect(() => requireAgent(name)).toThrow(expect.objectContaining({ code: 'usage', hint }));
});

test.each([
  ['codex', ['0.169.0', '0.170.1', '1.0.0'], ['0.168.9', '0.58.0', 'unknown', null]],
  ['demo', ['0.1.0', '9.9.9', null], []],
  ['claude', ['2.0.0', '9.9.9', null], []],
])('a thread of %s is forked from this version on', (name, forks, forksNot) => {
  const { canFork } = requireAgent(name);
  expect(forks.map(canFork)).toEqual(forks.map(() => true));
  expect(forksNot.map(canFork)).toEqual(forksNot.map(() => false));
});

test.each([
  ['codex', ['SIGINT', 'SIGTERM', 'SIGKILL'], true],
  ['claude', ['SIGTERM', 'SIGKILL'], false],
  ['opencode', ['SIGTERM', 'SIGKILL'], false],
  ['demo', ['SIGTERM', 'SIGKILL'], false],
])('what stops %s, gentlest first, and whether it takes the tools of zwarm', (name, signals, tools) => {
  const { stopSignals, takesTools } = requireAgent(name);
  expect([stopSignals, takesTools]).toEqual([signals, tools]);
});
