import { expect, test } from 'vitest';
import { live, newMarks } from '../helpers/marked.ts';
import { processesNaming, processesWith } from '../helpers/project.ts';

test('a process is found by the whole of a variable, not by its beginning: others would be ended with it', async () => {
  const marks = newMarks();
  const { pid } = await live(`${marks}x`);
  expect(processesWith(`ZWARM_MARK=${marks}x`)).toEqual([pid]);
  expect(processesWith(`ZWARM_MARK=${marks}`)).toEqual([]);
  expect(processesWith(`MARK=${marks}x`)).toEqual([]);
  expect(processesNaming(`\0ZWARM_MARK=${marks}`)).toEqual([pid]);
});
