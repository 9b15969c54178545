import { expect, test } from 'vitest';
import { changedFiles, type Step } from '../../../../src/core/conversation/steps.ts';
import type { StepStatus } from '../../../../src/core/events.ts';
import { pathFrom } from '../../../../src/core/path.ts';

const edit = (status: StepStatus, ...paths: string[]): Step => ({
  type: 'file_change',
  changes: paths.map((path) => ({ path, kind: 'update' })),
  status,
});

test('the files that a step has changed, and none that it was only meant to', () => {
  expect(changedFiles(edit('completed', '/b', '/a'))).toEqual(['/b', '/a']);
  const others = ['failed', 'declined', 'interrupted', 'in_progress'] as const;
  expect(others.flatMap((status) => changedFiles(edit(status, '/c')))).toEqual([]);
});

test.each<[string | null, string, string]>([
  ['/w', '/w/a/b', 'a/b'],
  ['/w/', '/w/a', 'a'],
  ['/', '/a', 'a'],
  ['/w', '/w', '/w'],
  ['/w', '/w/', '/w/'],
  ['/w', '/wa/b', '/wa/b'],
  ['/w', 'a', 'a'],
  [null, '/w/a', '/w/a'],
])('in %j the file %j is %j', (directory, path, told) => {
  expect(pathFrom(directory, path)).toBe(told);
});
