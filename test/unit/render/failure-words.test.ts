import { expect, test } from 'vitest';
import { failureWords } from '../../../src/render/failure-words.ts';

const ENDED = new Date(2026, 10, 20, 22, 5).toISOString();

function words(
  code: string,
  message = 'what it said',
  more: { exit_code?: number; signal?: string; retry_at?: string } = {},
) {
  const { retry_at = null, exit_code = null, signal = null } = more;
  const error = { code, message, hint: null, retryable: false, retry_at };
  return failureWords({ error, exit_code, signal, ended_at: ENDED });
}

test.each([
  [new Date(2026, 10, 21, 3, 2), '03:02'],
  [new Date(2026, 10, 21, 17, 46), '17:46'],
  [new Date(2026, 10, 24, 3, 2), 'Nov 24'],
  [new Date(2030, 2, 17, 17, 46), 'Mar 17'],
])('a usage limit that ends at %s: until %s', (at, until) => {
  expect(words('usage_limit', 'spent', { retry_at: at.toISOString() })).toBe(`usage limit until ${until}`);
});

test('a failure in a few words; what is not known by its code tells its message', () => {
  expect(words('usage_limit', 'try again later')).toBe('usage limit');
  expect(words('login_required')).toBe('login');
  expect(words('exit_code', '', { exit_code: 3 })).toBe('exit 3');
  expect(words('signal', '', { signal: 'SIGKILL' })).toBe('SIGKILL');
  expect(words('no_result')).toBe('no result');
  expect(words('agent_failed')).toBe('what it said');
  expect(words('constructor')).toBe('what it said');
  for (const code of ['lost', 'damaged']) expect(words(code)).toBeNull();
  expect(failureWords({ error: null, exit_code: 0, signal: null, ended_at: null })).toBeNull();
});
