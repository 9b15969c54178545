import { expect, test } from 'vitest';
import { claude } from '../../../../src/agents/claude/index.ts';

const refused = (typed: string) => claude.readArguments(typed.split(' ')).refused;

test.each([
  '--effort high',
  '--add-dir a b --bare',
  '--mcp-config a.json b.json',
  '--settings {}',
  '--max-turns 3',
  '--something new',
])('%s is passed on every turn', (typed) => {
  const everyTurn = typed.split(' ');
  expect(claude.readArguments(everyTurn)).toEqual({
    refused: null,
    newThread: [],
    everyTurn,
    outsideOfGit: null,
  });
});

test.each([
  ['zwarm inject @last "…"', '[--resume] x', '[-r]', '[-c]', '[--session-id] x', '[--from-pr]'],
  ['zwarm start -m MODEL "…"', '[--model] opus', '--bare [--model=x]'],
  ['zwarm start -s MODE "…"', '[--permission-mode] plan'],
  ['zwarm start -s danger-full-access "…"', '[--dangerously-skip-permissions]'],
  ['zwarm start --schema FILE "…"', '[--json-schema] {}', '[--json-schema={}]'],
  ['leave it out', '[--verbose]', '[-p]', '[--output-format] text', '[--bg]', '[--no-session-persistence]'],
  ['give the task to zwarm: zwarm start "…"', '[hello]', '--bare [mcp]', '[--]'],
  ['--agent-arg=--effort --agent-arg=VALUE', '[--effort]'],
])('%s, instead of %s', (hint, ...all) => {
  for (const typed of all) {
    const argument = typed.replace(/.*\[(.*)\].*/, '$1');
    expect(refused(typed.replace(/[[\]]/g, '')), typed).toMatchObject({ argument, hint });
  }
});
