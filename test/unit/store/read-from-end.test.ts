import { expect, test } from 'vitest';
import { LINE_SIZES } from '../../../src/store/read-forward.ts';
import { readFromEnd } from '../../../src/store/read-from-end.ts';
import { streamOf } from '../../helpers/turn-stream.ts';

test.each(['', '\n'])(
  'a long last line is a portion of its own: what is before it is not read along with it (%j)',
  (end) => {
    const short = 'short\n'.repeat(50_000);
    const long = 'x'.repeat(100_000);
    const { path } = streamOf(short + long + end, true);
    const portions = readFromEnd(path, { limit: null, ended: true }, { ...LINE_SIZES, last: 100 });
    const { lines, from } = portions.next().value ?? {};
    expect([...(lines ?? [])].map(({ text }) => text)).toEqual([long]);
    expect(from).toBe(short.length);
    const before = portions.next().value;
    expect([...(before?.lines ?? [])]).toHaveLength(Math.ceil(400 / 'short\n'.length) - 1);
  },
);
