import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { codexHistory } from '../../../../src/agents/codex/history.ts';
import { findHistory } from '../../../../src/store/agent-history.ts';
import { emptyDirectory } from '../../../helpers/directory.ts';
import { repositoryFile } from '../../../helpers/project.ts';

// Begun at 2026-11-20T10:29:12Z.
const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';

function rollout(base: string, path: string): string {
  const file = join(base, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '{}\n');
  return file;
}

test.each([
  ['on the day itself', '2026/11/20'],
  ['where it is tomorrow already', '2026/11/21'],
  ['where it is still yesterday', '2026/11/19'],
  ['on any day', '2031/01/01'],
])('the file of a thread is found %s', (_, day) => {
  const base = emptyDirectory();
  rollout(base, `${day}/rollout-2026-11-20T10-29-12-01a1f880-c978-76c0-be58-213b143ff768.jsonl`);
  expect(findHistory(base, codexHistory.patterns(THREAD))).toBeNull();
  const path = rollout(base, `${day}/rollout-2026-11-20T10-29-12-${THREAD}.jsonl`);
  expect(findHistory(base, codexHistory.patterns(THREAD))).toEqual({ path, bytes: 3 });
});

test('without the directory nobody can tell; links of the user are followed', () => {
  const base = emptyDirectory();
  expect(findHistory(join(base, 'none'), codexHistory.patterns(THREAD))).toBeUndefined();
  rollout(base, `real/2026/11/20/rollout-x-${THREAD}.jsonl`);
  symlinkSync(join(base, 'real'), join(base, 'sessions'));
  expect(findHistory(join(base, 'sessions'), codexHistory.patterns(THREAD))).toMatchObject({ bytes: 3 });
  // A thread whose id tells no time is looked for everywhere.
  const v4 = '928ccb19-d1c4-40cc-bcb1-96159aaf2918';
  rollout(base, `real/2020/02/02/rollout-x-${v4}.jsonl`);
  expect(findHistory(join(base, 'sessions'), codexHistory.patterns(v4))).toMatchObject({ bytes: 3 });
});

test('where Codex keeps its files', () => {
  expect(codexHistory.directory({ HOME: '/h' })).toBe('/h/.codex/sessions');
  expect(codexHistory.directory({ HOME: '/h', CODEX_HOME: '/c' })).toBe('/c/sessions');
  expect(codexHistory.directory({ HOME: '/h', CODEX_HOME: 'relative' })).toBeNull();
  expect(codexHistory.directory({})).toBeNull();
});

test('how full the context was', () => {
  const path = repositoryFile('fixtures/streams/codex-0.169/shell.rollout.jsonl');
  const fill = { tokens: 1320, window: 258_400 };
  expect(codexHistory.contextFill(readFileSync(path, 'utf8'))).toEqual(fill);
});

test.each([
  ['nothing', ''],
  ['no count', '{"payload":{"type":"other"}}\n'],
  ['half a line', '{"payload":{"type":"token_count","info":{"last_tok'],
  ['words', '{"payload":{"type":"token_count","info":{"last_token_usage":{"total_tokens":"9"}}}}'],
  ['a negative count', '{"payload":{"type":"token_count","info":{"last_token_usage":{"total_tokens":-9}}}}'],
])('of %s nothing is made', (_, text) => {
  expect(codexHistory.contextFill(text)).toBeNull();
});
