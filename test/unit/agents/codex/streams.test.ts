import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCodexParser } from '../../../../src/agents/codex/translate.ts';
import type { Step } from '../../../../src/core/conversation/steps.ts';
import type { AgentEvent } from '../../../../src/core/events.ts';
import { foldWhole } from '../../../helpers/fold.ts';
import { repositoryFile } from '../../../helpers/project.ts';
import { CODEX_0_169, type Expected } from './expected-0.169.ts';
import { CODEX_OLDER } from './expected-older.ts';

const streams = repositoryFile('fixtures/streams');

function namesIn(directory: string): string[] {
  return readdirSync(`${streams}/${directory}`)
    .filter((file) => file.endsWith('.jsonl') && !file.endsWith('.rollout.jsonl'))
    .map((file) => basename(file, '.jsonl'));
}

function linesOf(directory: string, name: string): string[] {
  const text = readFileSync(`${streams}/${directory}/${name}.jsonl`, 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

function parse(lines: readonly string[], version: string): AgentEvent[][] {
  const parser = createCodexParser(version);
  return lines.map((text, seq) => [...parser({ seq, text })]);
}

function inShort(step: Step): string {
  switch (step.type) {
    case 'reasoning':
      return `think ${step.content}`;
    case 'message':
      return `say ${step.content.length > 200 ? `${step.content.slice(0, 60)}…${step.content.length}` : step.content}`;
    case 'command': {
      const end = step.exit_code === null ? '' : ` ${step.exit_code}\n${step.output}`;
      return `run ${step.command}\n${step.status}${end}`;
    }
    case 'file_change':
      return `edit ${step.status}: ${step.changes.map(({ kind, path }) => `${kind} ${path}`).join(', ')}`;
    case 'tool_call': {
      const { query } = step.args as { query?: string };
      return `tool ${step.name} ${step.status}${query === undefined ? '' : ` ${query}`}`;
    }
    case 'plan':
      return `plan ${step.items.map(({ completed, text }) => `${completed ? '[x]' : '[ ]'} ${text}`).join(' ')}`;
    case 'warning':
      return `warn ${step.message}`;
    case 'error':
      return `error ${step.message}`;
  }
}

function shorten(events: readonly AgentEvent[]): Expected & { answer: string | null } {
  const fold = foldWhole(events, true);
  const { usage } = fold;
  const retries = events.filter(({ type }) => type === 'retry').length;
  const steps = fold.steps.map(inShort);
  expect(fold.malformed).toBe(0);
  return {
    thread: fold.threadId,
    end: fold.terminal?.kind ?? null,
    usage: usage === null ? null : [usage.input, usage.cachedInput, usage.output, usage.reasoning],
    ...(retries === 0 ? {} : { retries }),
    ...(fold.unknown === 0 ? {} : { unknown: fold.unknown }),
    steps,
    answer: fold.answer,
  };
}

const TABLES = [
  { directory: 'codex-0.169', table: CODEX_0_169, versionOf: () => '0.169.0' },
  {
    directory: 'codex-older',
    table: CODEX_OLDER,
    versionOf: (name: string) => /^[\d.]+/.exec(name)?.[0] ?? '',
  },
];

describe.each(TABLES)('the streams of $directory', ({ directory, table, versionOf }) => {
  test('are all in the table', () => {
    expect(Object.keys(table).sort()).toEqual(namesIn(directory).sort());
  });

  test.each(namesIn(directory))('%s reads as expected', (name) => {
    const { answer, ...short } = shorten(parse(linesOf(directory, name), versionOf(name)).flat());
    expect(short).toEqual(table[name]);
    const said = short.steps.filter((step) => step.startsWith('say ')).at(-1);
    if (answer === null || answer.length <= 200) expect(answer).toBe(said?.slice('say '.length) ?? null);
    else expect(answer).toHaveLength(300_000);
  });

  test.each(namesIn(directory))('%s: every line is accounted for, under its own number', (name) => {
    // The old protocol repeats itself: what another line says better is known to be redundant.
    const redundant =
      /"type":"(agent_reasoning_section_break|exec_command_output_delta|token_count|turn_diff|web_search_begin)"/;
    const lines = linesOf(directory, name);
    for (const [seq, events] of parse(lines, versionOf(name)).entries()) {
      expect(events.length).toBeGreaterThan(0);
      expect(events.some((event) => event.type === 'redundant')).toBe(redundant.test(lines[seq] ?? ''));
      for (const event of events) expect(event.seq).toBe(seq);
    }
  });
});

test('usage counts per process up to 0.58 and per thread after it, also where the version is unknown', () => {
  const [last] = linesOf('codex-0.169', 'message').slice(-1);
  const cumulative = (version: string | null): unknown => {
    const [event] = createCodexParser(version)({ seq: 0, text: last ?? '' });
    return event?.type === 'usage' && event.usage.cumulative;
  };
  const versions = [
    '0.36.0',
    'codex-cli 0.58.0',
    '0.58.3-alpha.1',
    '0.59.0',
    '0.104.0',
    '0.169.0',
    '1.0.0',
    '',
    null,
  ];
  expect(versions.map(cumulative)).toEqual([false, false, false, true, true, true, true, true, true]);
});
