import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { codexHistory } from '../../../../src/agents/codex/history.ts';
import { createCodexParser } from '../../../../src/agents/codex/translate.ts';
import { createStepClock, type TimedItem } from '../../../../src/core/conversation/trajectory.ts';
import { findHistory } from '../../../../src/store/agent-history.ts';
import { emptyDirectory } from '../../../helpers/directory.ts';
import { foldWhole } from '../../../helpers/fold.ts';
import { repositoryFile } from '../../../helpers/project.ts';

// Begun at 2026-11-20T10:29:12Z.
const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';

function rollout(base: string, path: string): string {
  const file = join(base, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '{}\n');
  return file;
}

test('the file of a thread is found below the day of its id, one beside it, or any', () => {
  for (const day of ['2026/11/20', '2026/11/21', '2026/11/19', '2031/01/01']) {
    const base = emptyDirectory();
    rollout(base, `${day}/rollout-2026-11-20T10-29-12-01a1f880-c978-76c0-be58-213b143ff768.jsonl`);
    expect(findHistory(base, codexHistory.patterns(THREAD))).toBeNull();
    const path = rollout(base, `${day}/rollout-2026-11-20T10-29-12-${THREAD}.jsonl`);
    expect(findHistory(base, codexHistory.patterns(THREAD))).toEqual({ path, bytes: 3 });
  }
});

test('without the directory nobody can tell; links of the user are followed', () => {
  const base = emptyDirectory();
  expect(findHistory(join(base, 'none'), codexHistory.patterns(THREAD))).toBeUndefined();
  rollout(base, `real/2026/11/20/rollout-x-${THREAD}.jsonl`);
  symlinkSync(join(base, 'real'), join(base, 'sessions'));
  expect(findHistory(join(base, 'sessions'), codexHistory.patterns(THREAD))).toMatchObject({ bytes: 3 });
  // A thread whose id tells no time is looked for everywhere.
  const v4 = '928ccb19-d1c4-40cc-bcb1-96159aaf2918';
  rollout(base, `real/2020/02/02/rollout-x-${v4}.jsonl`);
  expect(findHistory(join(base, 'sessions'), codexHistory.patterns(v4))).toMatchObject({ bytes: 3 });
});

test('where Codex keeps its files', () => {
  expect(codexHistory.directory({ HOME: '/h' })).toBe('/h/.codex/sessions');
  expect(codexHistory.directory({ HOME: '/h', CODEX_HOME: '/c' })).toBe('/c/sessions');
  expect(codexHistory.directory({ HOME: '/h', CODEX_HOME: 'relative' })).toBeNull();
  expect(codexHistory.directory({})).toBeNull();
});

const linesOf = (name: string): string[] =>
  readFileSync(repositoryFile(`fixtures/streams/codex-0.169/${name}`), 'utf8').split('\n');

test('how full the context was', () => {
  const fill = { tokens: 1320, window: 258_400 };
  expect(codexHistory.contextFill(linesOf('shell.rollout.jsonl').join('\n'))).toEqual(fill);
});

function timesIn(name: string): (string | null)[] {
  const parse = createCodexParser('0.169.0');
  const lines = linesOf(`${name}.jsonl`).filter((line) => line !== '');
  const events = lines.flatMap((text, seq) => [...parse({ seq, text })]);
  const { steps } = foldWhole(events, true);
  const items = linesOf(`${name}.rollout.jsonl`).flatMap((line) => codexHistory.timedItem(line) ?? []);
  return steps.map(createStepClock(items, codexHistory.stepKey)).map((time, i) => {
    const { type } = steps[i] ?? { type: 'none' };
    return time === null ? `${type} -` : `${type} ${time.startedMs % 100_000}–${time.endedMs % 100_000}`;
  });
}

// From item_completed of the recorded session files.
test.each([
  ['message', ['message 52343–52343']],
  ['shell', ['reasoning 53108–53108', 'message 53110–53110', 'command 53225–53225', 'message 53253–53253']],
  ['file-change', ['file_change 57705–57832', 'message 57854–57855']],
  ['sigint', ['message 20363–20363', 'command 20434–20434']],
])('the steps of %s have the times that Codex wrote down', (name, expected) => {
  expect(timesIn(name)).toEqual(expected);
});

const item = (key: string, startedMs: number): TimedItem => ({ key, startedMs, endedMs: startedMs + 1 });

test('a step gets the time of the same thing, each once, and none that is not known', () => {
  const steps = ['a', 'b', 'a', 'a'].map((content) => ({ type: 'reasoning' as const, content }));
  const items = [item('refused', 1), item('a', 2), item('a', 3)];
  const times = steps.map(
    createStepClock(items, (step) => (step.type === 'reasoning' ? step.content : null)),
  );
  expect(times.map((time) => time?.startedMs ?? null)).toEqual([2, null, 3, null]);
});

const COUNT = '{"payload":{"type":"token_count","info":{"last_token_usage":{"total_tokens":';
const LINE = '{"payload":{"type":"item_completed","item":{"type":"AgentMessage","content":[]}';

test('of what does not say it nothing is made', () => {
  const noFill = ['', '{"payload":{"type":"other"}}\n', COUNT, `${COUNT}"9"}}}}`, `${COUNT}-9}}}}`];
  expect(noFill.map(codexHistory.contextFill)).toEqual(noFill.map(() => null));
  const times = '"started_at_ms":1,"completed_at_ms":2}}';
  const noTimes = ['', LINE, `${LINE}}}`, `${LINE},${times.replace('1', '"1"')}`];
  const noItem = [...noTimes, `${LINE.replace('Agent', 'Alien')},${times}`];
  expect(noItem.map(codexHistory.timedItem)).toEqual(noItem.map(() => null));
  expect(codexHistory.timedItem(`${LINE},${times}`)).not.toBeNull();
});
