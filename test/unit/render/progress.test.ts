import { expect, test } from 'vitest';
import type { Step } from '../../../src/core/conversation/steps.ts';
import { renderProgress } from '../../../src/render/progress.ts';
import { createStyle } from '../../../src/render/style.ts';
import { columnsOf, plain } from '../../helpers/display.ts';

const said = (content: string): Step => ({ type: 'message', role: 'assistant', content });
const STEPS: readonly (Step | null)[] = [
  null,
  said(''),
  said('x'.repeat(500)),
  said('x'.repeat(30) + '漢'.repeat(30)),
  said('👩‍👩‍👧'.repeat(30)),
  said('x\n'.repeat(2_000_000)),
  said('two\nlines\tand \x1b[2J\x07'),
  { type: 'command', command: 'ls\n'.repeat(90), output: null, exit_code: null, status: 'in_progress' },
];

test.each([40, 41, 60, 80, 200])('on %i columns it is one line, whatever the agent did last', (columns) => {
  const style = createStyle({ FORCE_COLOR: '1' }, { isTTY: true, columns }, 0);
  for (const lastStep of STEPS) {
    for (const elapsedMs of [0, 65_000, 9e8]) {
      const line = renderProgress('abcdefghjk', { status: 'running', sinceMs: -elapsedMs, lastStep }, style);
      expect(columnsOf(line), plain(line)).toBeLessThanOrEqual(columns);
      expect(plain(line)).toMatch(/^abcdefghjk running [^\x00-\x1f\x7f-\x9f]*$/);
    }
  }
});

test('it shows status, time and the last step', () => {
  const style = createStyle({ NO_COLOR: '1' }, { isTTY: true, columns: 80 }, 0);
  const line = (lastStep: Step | null) =>
    renderProgress('abcdefghjk', { status: 'running', sinceMs: -65_000, lastStep }, style);
  expect(line(said('Looking\nround'))).toBe('abcdefghjk running 1m 05s  Looking round');
  expect(line(null)).toBe('abcdefghjk running 1m 05s');
});
