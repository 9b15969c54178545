import { expect, test } from 'vitest';
import { ownIdentity } from '../../../src/process/identity.ts';
import { claimGeneration, giveUpGeneration, readGeneration } from '../../../src/store/generations.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

/* What one process at a time does. */

const claim = (directory: string, seen: { generation: number }, unique: string) =>
  claimGeneration(directory, seen, ownIdentity(), unique) ?? 'another was faster';

test('of those that saw the same generation one gets the next, and nobody one that was given up', () => {
  const directory = emptyDirectory();
  const nothing = readGeneration(directory);
  expect(nothing).toEqual({ generation: 0, claimer: null });
  const first = claim(directory, nothing, 'a');
  expect(readGeneration(directory)).toEqual({ generation: 1, claimer: ownIdentity() });
  expect(claim(directory, nothing, 'b')).toBe('another was faster');
  giveUpGeneration(first);
  expect(readGeneration(directory)).toEqual({ generation: 1, claimer: null });
  expect(claim(directory, nothing, 'c')).toBe('another was faster');
  const second = claim(directory, readGeneration(directory), 'd');
  expect(claim(directory, nothing, 'e')).toBe('another was faster');
  // One that another process took the place of gives up nothing.
  giveUpGeneration(first);
  expect(readGeneration(directory)).toEqual({ generation: 2, claimer: ownIdentity() });
  giveUpGeneration(second);
});
