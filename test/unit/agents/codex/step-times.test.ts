import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codexHistory } from '../../../../src/agents/codex/history.ts';
import { createCodexParser } from '../../../../src/agents/codex/translate.ts';
import { type TimedItem, timesOfSteps } from '../../../../src/core/conversation/trajectory.ts';
import { foldWhole } from '../../../helpers/fold.ts';
import { repositoryFile } from '../../../helpers/project.ts';

const linesOf = (name: string): string[] =>
  readFileSync(repositoryFile(`fixtures/streams/codex-0.169/${name}`), 'utf8').split('\n');

function timesIn(name: string): (string | null)[] {
  const parse = createCodexParser('0.169.0');
  const lines = linesOf(`${name}.jsonl`).filter((line) => line !== '');
  const { steps } = foldWhole(
    lines.flatMap((text, seq) => [...parse({ seq, text })]),
    true,
  );
  const items = linesOf(`${name}.rollout.jsonl`).flatMap((line) => codexHistory.timedItem(line) ?? []);
  return timesOfSteps(steps, items, codexHistory.stepKey).map((time, i) => {
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
  const times = timesOfSteps(steps, items, (step) => (step.type === 'reasoning' ? step.content : null));
  expect(times.map((time) => time?.startedMs ?? null)).toEqual([2, null, 3, null]);
});

const LINE = '{"payload":{"type":"item_completed","item":{"type":"AgentMessage","content":[]}';
test.each([
  ['nothing', ''],
  ['half a line', LINE],
  ['no times', `${LINE}}}`],
  ['times in words', `${LINE},"started_at_ms":"1","completed_at_ms":"2"}}`],
  ['another kind', `${LINE.replace('Agent', 'Alien')},"started_at_ms":1,"completed_at_ms":2}}`],
])('of %s nothing is made', (_, line) => {
  expect(codexHistory.timedItem(line)).toBeNull();
});
