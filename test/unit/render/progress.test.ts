import { expect, test } from 'vitest';
import type { Step } from '../../../src/core/conversation/steps.ts';
import { renderProgress } from '../../../src/render/progress.ts';
import { createStyle } from '../../../src/render/style.ts';
import { columnsOf, plain } from '../../helpers/display.ts';

const said = (content: string): Step => ({ type: 'message', role: 'assistant', content });
const STEPS: readonly (Step | null)[] = [
  null,
  said(''),
  said('short'),
  said('x'.repeat(500)),
  said('漢字'.repeat(100)),
  said('x'.repeat(30) + '漢'.repeat(30)),
  said('😀'.repeat(100)),
  said('👩‍👩‍👧'.repeat(30)),
  said(`${' '.repeat(1000)}late`),
  said('x\n'.repeat(2_000_000)),
  said(`e${'\u0301'.repeat(100_000)}`),
  said(Array(500).fill('👩').join('\u200d')),
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

test('it tells status, time and the last step', () => {
  const style = createStyle({ NO_COLOR: '1' }, { isTTY: true, columns: 80 }, 0);
  const progress = { status: 'running', sinceMs: -65_000 } as const;
  expect(renderProgress('abcdefghjk', { ...progress, lastStep: said('Looking\nround') }, style)).toBe(
    'abcdefghjk running 1m 05s  Looking round',
  );
  expect(renderProgress('abcdefghjk', { ...progress, lastStep: null }, style)).toBe(
    'abcdefghjk running 1m 05s',
  );
});
