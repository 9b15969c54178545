import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { givePortsBack, takePorts } from '../../../src/store/ports.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

test('each session has ten ports, which are given back by its id, wherever its store lies by then', () => {
  const state = emptyDirectory();
  const [one, two, old] = ['a', 'b', 'c'].map((letter) => letter.repeat(10)) as [
    SessionId,
    SessionId,
    SessionId,
  ];
  mkdirSync(join(state, 'ports'));
  // As zwarm noted it once.
  symlinkSync(`shop-0123456789abcdef/${old}`, join(state, 'ports', '0'));
  expect([takePorts(state, one), takePorts(state, two)]).toEqual([20_010, 20_020]);
  givePortsBack(state, one);
  givePortsBack(state, old);
  expect(readdirSync(join(state, 'ports'))).toEqual(['2']);
  expect(takePorts(state, one)).toBe(20_000);
});
