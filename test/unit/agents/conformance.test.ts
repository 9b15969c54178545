import { describe, expect, test } from 'vitest';
import type { TurnRequest } from '../../../src/agents/agent.ts';
import { AGENTS } from '../../../src/agents/registry.ts';
import { SANDBOXES } from '../../../src/core/session.ts';

// What holds for every agent, the next one too; docs/adding-an-agent.md says why.

const NEW = '22222222-2222-4222-8222-222222222202';
const OLD = '11111111-1111-4111-8111-111111111101';
const FIRST: TurnRequest = {
  workingDir: '/some where/ünï',
  sandbox: 'workspace-write',
  confined: false,
  model: null,
  agentArgs: [],
  threadId: null,
  newThreadId: NEW,
  forks: false,
  schema: null,
  tools: null,
};

test('no name means two agents', () => {
  const names = AGENTS.flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(AGENTS.map((agent) => [agent.name, agent] as const))('%s', (_, agent) => {
  const args = (turn: Partial<TurnRequest>): readonly string[] => agent.command({ ...FIRST, ...turn }).args;

  test('a turn that goes on names its thread, and one that begins names no other', () => {
    expect(args({ threadId: OLD })).toContain(OLD);
    expect(args({ threadId: OLD, forks: true })).toContain(OLD);
    expect(args({})).not.toContain(OLD);
    expect(args({ threadId: OLD, forks: true })).not.toEqual(args({ threadId: OLD }));
  });

  test('each sandbox is stated on every turn, in words that differ', () => {
    for (const threadId of [null, OLD]) {
      const told = SANDBOXES.map((sandbox) => JSON.stringify(agent.command({ ...FIRST, threadId, sandbox })));
      expect(new Set(told).size).toBe(SANDBOXES.length);
    }
  });

  test('the model and the user’s own arguments are passed on every turn', () => {
    for (const threadId of [null, OLD]) {
      const told = args({ threadId, model: 'some-model', agentArgs: ['--own', 'a b'] });
      expect(told).toEqual(expect.arrayContaining(['some-model', '--own', 'a b']));
    }
  });

  test('its last stop signal is one that nothing survives', () => {
    expect(agent.stopSignals.at(-1)).toBe('SIGKILL');
  });

  test('a line that was too long, no JSON or unknown is kept', async () => {
    const parse = (await agent.loadParser(null))();
    expect(parse({ seq: 0, text: null })).toEqual([{ seq: 0, type: 'malformed', raw: null }]);
    expect(parse({ seq: 1, text: 'boom' })).toEqual([{ seq: 1, type: 'malformed', raw: 'boom' }]);
    const text = '{"type":"something.new","demo":"new"}';
    expect(parse({ seq: 2, text })).toEqual([{ seq: 2, type: 'unknown', raw: text }]);
  });

  test('where neither event nor stderr says anything, nothing is explained', () => {
    expect(agent.explain({ message: null, stderr: '' })).toBeNull();
    expect(agent.explain({ message: 'boom', stderr: '' })).toMatchObject({ message: 'boom' });
  });

  test('its history is looked for at no relative path', () => {
    expect(agent.history?.directory({}) ?? null).toBeNull();
    const home = agent.history?.directory({ HOME: '/home/u' }) ?? '/';
    expect(home).toMatch(/^\//);
  });

  test('what it may write where it is confined is its own: not its home, nor what lies above or in the project', () => {
    if (agent.confinement?.by !== 'nobody') return;
    const { directories, files, kept } = agent.confinement.state({ HOME: '/home/u' }, '/some where/ünï');
    for (const path of [...directories, ...files, ...kept]) {
      expect(path).toMatch(/^\/home\/u\/\.[^/]+\/./);
      expect(path).not.toMatch(/\.\.|\/\//);
    }
    for (const path of kept) expect(directories.some((one) => path.startsWith(`${one}/`))).toBe(true);
    expect(agent.confinement.state({}, '/w')).toEqual({ directories: [], files: [], kept: [] });
  });
});
