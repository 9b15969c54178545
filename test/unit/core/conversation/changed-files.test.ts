import { expect, test } from 'vitest';
import { changedFiles, pathFrom } from '../../../../src/core/conversation/changed-files.ts';
import type { Step } from '../../../../src/core/conversation/steps.ts';
import type { StepStatus } from '../../../../src/core/events.ts';

const edit = (status: StepStatus, ...paths: string[]): Step => ({
  type: 'file_change',
  changes: paths.map((path) => ({ path, kind: 'update' })),
  status,
});

test('each file that was changed in any turn, once, and none that was only meant to be', () => {
  const turns = [
    { turn: 1, steps: [edit('completed', '/b', '/a'), edit('failed', '/c'), edit('declined', '/d')] },
    { turn: 3, steps: [edit('completed', '/a', '/e'), edit('interrupted', '/f')] },
  ];
  expect(changedFiles(turns)).toEqual(['/b', '/a', '/e']);
  expect(changedFiles([])).toEqual([]);
});

test.each<[string | null, string, string]>([
  ['/w', '/w/a/b', 'a/b'],
  ['/w/', '/w/a', 'a'],
  ['/', '/a', 'a'],
  ['/w', '/w', '/w'],
  ['/w', '/wa/b', '/wa/b'],
  ['/w', 'a', 'a'],
  [null, '/w/a', '/w/a'],
])('in %j the file %j is %j', (directory, path, told) => {
  expect(pathFrom(directory, path)).toBe(told);
});
