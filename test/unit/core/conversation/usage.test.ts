import { expect, test } from 'vitest';
import { sumUsage, type TurnUsage, usagePerTurn } from '../../../../src/core/conversation/usage.ts';
import type { TokenUsage } from '../../../../src/core/session.ts';

// A turn in short: its thread (- for none), `*` if it began there, `<a` if it is a copy of a, and its counts: input,
// cached input, output, reasoning (? where it was not reported). Counts of the process alone begin with `=`.
function turnOf(text: string): TurnUsage {
  const [, thread = '', star, copied = null, process, counts] =
    /^(\w|-)(\*?)(?:<(\w))?:(=?)(.*)$/.exec(text) ?? [];
  const [input = 0, cachedInput = 0, output = 0, reasoning = null] = (counts ?? '')
    .split('/')
    .map((count) => (count === '?' ? null : Number(count)));
  const counted = { input: input ?? 0, cachedInput: cachedInput ?? 0, output: output ?? 0, reasoning };
  const given = { ...counted, costUsd: null, partial: false };
  return {
    threadId: thread === '-' ? null : thread,
    tokens: counts === 'none' ? null : { ...given, cumulative: process === '' },
    fresh: star === '*',
    copyOf: copied,
  };
}

function inShort(usage: TokenUsage | null): string {
  if (usage === null) return 'null';
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = usage;
  expect(usage.total_tokens).toBe(input + output);
  return [input, cached, output, usage.reasoning_output_tokens ?? '?'].join('/');
}

const turnsOf = (text: string): TurnUsage[] => text.split(' ').map(turnOf);

test.each([
  ['a total is differenced', 't*:9/1/4/5 t:33/22/36/7 t:46/34/52/10', '9/1/4/5 24/21/32/2 13/12/16/3'],
  ['a failed turn reports nothing', 't*:10/0/1/0 t:none t:30/0/3/0', '10/0/1/0 null 20/0/2/0'],
  ['the first turn failed: the thread still began here', 't*:none t:30/0/3/0', 'null 30/0/3/0'],
  ['a thread that began elsewhere has an unknown base', 't:500/0/50/0 t:700/0/70/0', 'null 200/0/20/0'],
  ['a total that falls belongs elsewhere', 't*:9/0/1/0 t:4/0/1/0 t:6/0/2/0', '9/0/1/0 null 2/0/1/0'],
  ['each of its counts must not fall', 't*:100/50/10/5 t:200/40/20/6', '100/50/10/5 null'],
  ['reasoning must not fall either', 't*:100/0/10/5 t:200/0/20/4', '100/0/10/5 null'],
  ['another thread is apart', 'a*:9/0/1/0 b*:5/0/5/0 a:12/0/2/0', '9/0/1/0 5/0/5/0 3/0/1/0'],
  ['without a thread a total means nothing', '-*:100/0/10/0 -*:150/0/20/0', 'null null'],
  ['a known thread does not begin anew', 'a*:9/0/1/0 a*:12/0/2/0 a<b:13/0/3/0', '9/0/1/0 3/0/1/0 1/0/1/0'],
  ['a copy goes on from its original', 'a*:9/0/1/0 b<a:12/0/2/0 a:10/0/3/0', '9/0/1/0 3/0/1/0 1/0/2/0'],
  ['a copy of an unknown thread has no base', 'b*<a:150/0/20/0 b:160/0/22/0', 'null 10/0/2/0'],
  ['counts per process are as they are', 't*:=10/1/1/? t:=13/12/16/?', '10/1/1/? 13/12/16/?'],
  ['totals after those have no base', 't*:=9/1/1/? t:23/13/2/4 t:24/13/6/5', '9/1/1/? null 1/0/4/1'],
  ['new reasoning has no base', 't*:10/1/1/? t:23/13/2/4 t:24/13/6/5', '10/1/1/? 13/12/1/? 1/0/4/1'],
])('%s', (_, turns, expected) => {
  expect(usagePerTurn(turnsOf(turns)).map(inShort).join(' ')).toBe(expected);
});

test.each([
  ['t:none t:none', 'null'],
  ['a:none a*:1/0/2/3 a:none b*:10/5/20/30', '11/5/22/33'],
  ['a*:1/0/2/? b*:10/5/20/30', '11/5/22/?'],
])('the sum of %s is %s', (turns, expected) => {
  expect(inShort(sumUsage(usagePerTurn(turnsOf(turns))))).toBe(expected);
});
