import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AGENTS, DEFAULT_AGENT, findAgent, requireAgent } from '../../../src/agents/registry.ts';
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

test('Codex is the default; the demo agent is never one', () => {
  expect(DEFAULT_AGENT).toBe('codex');
});

test.each(AGENTS.map((agent) => agent.name))('%s reads any line without an error', async (name) => {
  const agent = requireAgent(name);
  const parse = await agent.loadParser(null);
  const smuggled = ['thread.started', 'thread', 'session.created'].map((type) =>
    JSON.stringify({ type, thread_id: '--option', session_id: '--option', id: '--option' }),
  );
  for (const text of ['{}', 'null', '[]', '{"type":', '\0', '"x"', '{"type":{"a":1}}', ...smuggled]) {
    expect(['unknown', 'malformed']).toContain(parse({ seq: 0, text })[0]?.type);
  }
});

test.each([
  ['codx', 'did you mean codex?'],
  ['Codex', 'did you mean codex?'],
  ['dmo', 'did you mean demo?'],
  ['claude', 'choose one of: codex, demo'],
  ['', 'choose one of: codex, demo'],
  ['__proto__', 'choose one of: codex, demo'],
])('the unknown agent %j: %s', (name, hint) => {
  expect(findAgent(name)).toBeNull();
  expect(() => requireAgent(name)).toThrow(expect.objectContaining({ code: 'usage', hint }));
});
