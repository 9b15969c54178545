import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { createCodexParser } from '../../../src/agents/codex/translate.ts';
import { AGENTS, requireAgent } from '../../../src/agents/registry.ts';
import type { Step } from '../../../src/core/conversation/steps.ts';
import { foldWhole } from '../../helpers/fold.ts';
import { repositoryFile } from '../../helpers/project.ts';

const streams = repositoryFile('fixtures/streams');

function inShort(step: Step): string {
  switch (step.type) {
    case 'reasoning':
      return `think ${step.content}`;
    case 'message':
      return `say ${step.content.length > 200 ? `${step.content.slice(0, 60)}…${step.content.length}` : step.content}`;
    case 'command': {
      const code = step.exit_code === null ? '' : ` ${step.exit_code}`;
      const end = step.output === null ? code : `${code}\n${step.output}`;
      return `run ${step.command}\n${step.status}${end}`;
    }
    case 'file_change':
      return [
        `edit ${step.status}: ${step.changes.map(({ kind, path }) => `${kind} ${path}`).join(', ')}`,
        ...step.changes.flatMap(({ diff }) => diff ?? []),
      ].join('\n');
    case 'tool_call':
      return `tool ${step.name} ${step.status} ${JSON.stringify(step.args)} ${JSON.stringify(step.result)}`;
    case 'plan':
      return `plan ${step.items.map(({ completed, text }) => `${completed ? '[x]' : '[ ]'} ${text}`).join(' ')}`;
    default:
      return `${step.type === 'warning' ? 'warn' : step.type} ${step.message}`;
  }
}

// The old protocol of Codex repeats itself: what another line says better is known to be redundant.
const REDUNDANT =
  /"type":"(agent_reasoning_section_break|exec_command_output_delta|token_count|turn_diff|web_search_begin)"/;

/** What a recorded stream reads as, and how a failure is explained; each of its lines is accounted for. */
async function readingOf(agent: string, path: string, version: string): Promise<string> {
  const adapter = requireAgent(agent);
  const parse = (await adapter.loadParser(version))();
  const lines = readFileSync(`${path}.jsonl`, 'utf8').split('\n').filter(Boolean);
  const events = lines.flatMap((text, seq) => {
    const ofLine = parse({ seq, text });
    expect(new Set(ofLine.map((event) => event.seq))).toEqual(new Set([seq]));
    if (agent === 'codex') expect(ofLine.some(({ type }) => type === 'redundant')).toBe(REDUNDANT.test(text));
    return ofLine;
  });
  const fold = foldWhole(events, true);
  expect(fold.malformed).toBe(0);
  expect(fold.answer).toBe(fold.messages.at(-1) ?? null);
  const message = fold.terminal?.kind === 'failed' ? fold.terminal.message : null;
  const stderr = existsSync(`${path}.stderr.txt`) ? readFileSync(`${path}.stderr.txt`, 'utf8') : '';
  const why = adapter.explain({ message, stderr });
  const told = [why?.code, why?.retryable ? 'may pass' : '', why?.message, why?.hint].filter(Boolean);
  const retries = events.filter(({ type }) => type === 'retry').length;
  const reading = [
    `== ${basename(path)}: ${fold.terminal?.kind ?? 'no end'}, thread ${fold.threadId}`,
    ...(fold.tokens === null ? [] : [`tokens ${JSON.stringify(fold.tokens)}`]),
    ...(retries + fold.unknown === 0 ? [] : [`${retries} retries, ${fold.unknown} unknown lines`]),
    ...fold.steps.map((step) => (step.subagent === undefined ? '' : '↳ ') + inShort(step)),
    ...(why === null ? [] : [`why: ${told.join(' | ')}`]),
  ].join('\n');
  return reading.replaceAll('\0', '\\0');
}

const directories = readdirSync(streams).sort();

test('every agent but the demo has streams that were recorded', () => {
  const agents = new Set(directories.map((directory) => directory.replace(/-.*/, '')));
  expect([...agents, 'demo'].sort()).toEqual(AGENTS.map(({ name }) => name).sort());
});

// What each must read as was once written from its raw lines and the README beside them.
test.each(directories)('the streams of %s read as expected', async (directory) => {
  const [, agent = '', of = ''] = /^([a-z]+)-(.*)$/.exec(directory) ?? [];
  const files = readdirSync(`${streams}/${directory}`).sort();
  const names = files.filter((file) => file.endsWith('.jsonl') && !file.endsWith('.rollout.jsonl'));
  const readings = await Promise.all(
    names.map((file) => {
      const version = /^[\d.]+\d/.exec(file)?.[0] ?? of;
      return readingOf(agent, `${streams}/${directory}/${basename(file, '.jsonl')}`, version);
    }),
  );
  await expect(`${readings.join('\n\n')}\n`).toMatchFileSnapshot(`${streams}/${directory}/readings.txt`);
});

test('usage counts per process up to 0.58 and per thread after it, also where the version is unknown', () => {
  const usage = { input_tokens: 1, cached_input_tokens: 0, output_tokens: 0 };
  const text = JSON.stringify({ type: 'turn.completed', usage });
  const cumulative = (version: string | null): unknown =>
    createCodexParser(version)({ seq: 0, text }).map((event) => 'usage' in event && event.usage.of);
  const perProcess = ['0.36.0', 'codex-cli 0.58.0', '0.58.3-alpha.1'];
  const perThread = ['0.59.0', '0.104.0', '0.169.0', '1.0.0', '', null];
  expect(perProcess.map(cumulative)).toEqual(perProcess.map(() => ['process', false]));
  expect(perThread.map(cumulative)).toEqual(perThread.map(() => ['thread', false]));
});
