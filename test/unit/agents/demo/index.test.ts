import { expect, test } from 'vitest';
import { demo } from '../../../../src/agents/demo/index.ts';

test('the demo is asked for a model, for what the user adds, and for its thread', () => {
  const asked = {
    workingDir: '/w',
    sandbox: 'read-only',
    model: null,
    agentArgs: [],
    confined: false,
    threadId: null,
    newThreadId: 'new',
    schema: null,
    forks: false,
    tools: null,
  } as const;
  const sandbox = ['--sandbox', 'read-only'];
  expect(demo.command(asked)).toEqual({ args: sandbox, env: {} });
  expect(demo.command({ ...asked, model: 'm', agentArgs: ['--slow'], threadId: 't' })).toEqual({
    args: ['--model', 'm', ...sandbox, '--slow', '--resume', 't'],
    env: {},
  });
});

test('where the demo keeps a conversation', () => {
  const { directory, patterns } = demo.history ?? { directory: () => null, patterns: () => [] };
  expect(directory({ HOME: '/h' })).toBe('/h/.local/state/zwarm/demo');
  expect(directory({ HOME: '/h', XDG_STATE_HOME: '/s' })).toBe('/s/zwarm/demo');
  expect(directory({ XDG_STATE_HOME: '/s' })).toBe('/s/zwarm/demo');
  expect(directory({})).toBeNull();
  expect(patterns('t')).toEqual(['t/prompts.json']);
});

test('why the demo failed is its own word, else the last of stderr, else unknown', () => {
  const failed = { code: 'agent_failed', hint: null, retryable: false };
  expect(demo.explain({ message: 'own', stderr: 'other' })).toEqual({ ...failed, message: 'own' });
  expect(demo.explain({ message: null, stderr: 'first\nlast\n' })).toEqual({ ...failed, message: 'last' });
  expect(demo.explain({ message: null, stderr: ' \n' })).toBeNull();
});
