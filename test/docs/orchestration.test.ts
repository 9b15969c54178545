import { expect, test } from 'vitest';
import { z } from 'zod';
import { KEYS } from '../../src/config/keys.ts';
import { longestWait } from '../../src/mcp/client.ts';
import { codeWords, readPage, tableOf } from '../helpers/document.ts';
import { TOOLS } from '../helpers/tools-in-process.ts';

const page = readPage('docs/orchestration.md');

test('the tools are those of the page, with those parameters and fields', () => {
  const told = tableOf(page, 'The tools').map(([name = '', takes = '', answers = '']) => ({
    name: codeWords(name)[0],
    takes: codeWords(takes),
    answers: codeWords(answers),
  }));
  expect(told).toEqual(
    TOOLS.map(({ name, input, output }) => ({
      name,
      takes: Object.keys(input.shape),
      answers: Object.keys(output.shape),
    })),
  );
});

test('the fields of each session in a list are those of the page', () => {
  const row = tableOf(page, 'What the fields mean').find(([field]) => field === '`sessions`') ?? [];
  const [, ofList = '', ofWait = ''] =
    /list_sessions`: (.*); of `wait_sessions`: (.*)\. One/.exec(row[1] ?? '') ?? [];
  const shown = (name: string) => {
    const output = TOOLS.find((tool) => tool.name === name)?.output ?? z.object({});
    const schema = JSON.parse(JSON.stringify(z.toJSONSchema(output)));
    return Object.keys(schema.properties.sessions.items.properties);
  };
  expect(codeWords(ofList)).toEqual(shown('list_sessions'));
  expect(codeWords(ofWait)).toEqual(shown('wait_sessions'));
});

test('what the page says of limits is so', () => {
  const policy = tableOf(page, 'The policy').map((row) => row.join(' '));
  const of = (key: string): string => policy.find((row) => row.includes(`\`${key}\``)) ?? '';
  expect(of('sandbox')).toContain(`at most \`${KEYS.sandbox.fallback}\``);
  expect(of('max_depth')).toContain(`${KEYS.max_depth.fallback}: `);
  expect(of('max_sessions')).toContain(`${KEYS.max_sessions.fallback}`);
  expect(page).toContain(
    `${longestWait('claude-code', null)} s for Claude Code, ${longestWait('codex-mcp-client', null)} s for Codex and all others`,
  );
  expect(longestWait('unknown', null)).toBe(longestWait('codex-mcp-client', null));
  expect(longestWait('claude-code', 1500)).toBe(1500);
});
