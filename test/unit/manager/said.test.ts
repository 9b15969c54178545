import { renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { messageLine } from '../../../bench/streams.js';
import { codexSieve } from '../../../src/agents/codex/sieve.ts';
import { createCodexParser } from '../../../src/agents/codex/translate.ts';
import type { TurnWords } from '../../../src/core/conversation/words.ts';
import type { Line } from '../../../src/core/events.ts';
import { readWords } from '../../../src/manager/said.ts';
import { DamagedRecord } from '../../../src/store/read-file.ts';
import { bundled } from '../../helpers/bundled.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { runProgram } from '../../helpers/project.ts';

/* Messages are read once more when they are shown: meanwhile an agent may do with their file what it wants. */

const SAID = ['first', 'naïve “second” 😀', 'x\n'.repeat(60_000), 'last'];
const STREAM = SAID.map((text, i) => messageLine(`item_${i}`, text)).join('');

function read(content = STREAM): { path: string; words: TurnWords } {
  const path = join(emptyDirectory(), 'events.jsonl');
  writeFileSync(path, content);
  const parse = createCodexParser('0.169.0');
  const range = { limit: null, ended: true };
  return { path, words: readWords({ path, range, parse, sieve: codexSieve }) };
}

test('messages are the same each time that they are asked for, and however much was printed since', () => {
  const { path, words } = read();
  expect([...words.messages]).toEqual(SAID);
  writeFileSync(path, messageLine('item_9', 'more'), { flag: 'a' });
  expect([...words.messages]).toEqual(SAID);
  expect(words.answer).toBe('last');
});

test('no message is held: each is parsed when it is asked for, and none before', () => {
  const path = join(emptyDirectory(), 'events.jsonl');
  writeFileSync(path, STREAM);
  const parse = createCodexParser('0.169.0');
  const parsed: (string | null)[] = [];
  const counting = (line: Line) => {
    parsed.push(line.text);
    return parse(line);
  };
  const range = { limit: null, ended: true };
  const words = readWords({ path, range, parse: counting, sieve: codexSieve });
  // Of the answer alone the text is needed.
  expect(parsed.splice(0)).toEqual([STREAM.trimEnd().split('\n').at(-1)]);
  let given = 0;
  for (const _ of words.messages) {
    given += 1;
    expect(parsed.length).toBe(given);
  }
  expect(given).toBe(SAID.length);
});

test('a last line without its newline is read again as it was', () => {
  const { path, words } = read(STREAM.trimEnd());
  expect([...words.messages]).toEqual(SAID);
  writeFileSync(path, messageLine('item_9', 'more'), { flag: 'a' });
  expect([...words.messages]).toEqual(SAID);
});

test('of a turn that says nothing nothing is read again', () => {
  const { path, words } = read('{"type":"turn.started"}\n');
  rmSync(path);
  expect([words.answer, [...words.messages]]).toEqual([null, []]);
});

const AS_LONG = 'y'.repeat(Buffer.byteLength(STREAM));

test.each<[string, (path: string) => void]>([
  ['is gone', rmSync],
  ['was cut', (path) => truncateSync(path, STREAM.length - 20)],
  ['was emptied', (path) => truncateSync(path, 0)],
  [
    'is another',
    (path) => {
      writeFileSync(`${path}.new`, STREAM);
      renameSync(`${path}.new`, path);
    },
  ],
  ['was written over', (path) => writeFileSync(path, AS_LONG, { flag: 'r+' })],
  [
    'was written over with lines',
    (path) => writeFileSync(path, AS_LONG.replaceAll('yyyy', 'yyy\n'), { flag: 'r+' }),
  ],
  [
    'has become shorter lines',
    (path) => writeFileSync(path, STREAM.replace('first', 'fi\n\n\n'), { flag: 'r+' }),
  ],
  ['has become one line', (path) => writeFileSync(path, STREAM.replaceAll('\n', ' '), { flag: 'r+' })],
  [
    'says nothing any more',
    (path) => writeFileSync(path, STREAM.replaceAll('agent_message', 'agent_nothing'), { flag: 'r+' }),
  ],
])('a stream that %s since it was read is damage', (_, spoil) => {
  const { path, words } = read();
  spoil(path);
  expect(() => [...words.messages]).toThrow(DamagedRecord);
});

test('of many turns that were read none holds a block of its stream', async () => {
  const { path } = read(STREAM.repeat(3));
  // In a process of its own: in this one other tests hold memory, too.
  const program = await bundled(`
import { setTimeout as sleep } from 'node:timers/promises';
import { codexSieve } from './src/agents/codex/sieve.ts';
import { createCodexParser } from './src/agents/codex/translate.ts';
import { readWords } from './src/manager/said.ts';

const range = { limit: null, ended: true };
const turns = Array.from({ length: 100 }, () =>
  readWords({ path: process.argv[2], range, parse: createCodexParser('0.169.0'), sieve: codexSieve }),
);
// A hundred blocks would be 25 MB. V8 gives memory back some time after it was collected, but never what is held.
const holds = () => process.memoryUsage().arrayBuffers > 5_000_000;
for (let tries = 0; tries < 500 && holds(); tries += 1) {
  gc();
  await sleep(10);
}
console.log(JSON.stringify({ holds: holds(), answers: turns.map(({ answer }) => answer) }));
`);
  const { stdout, stderr } = await runProgram(process.execPath, ['--expose-gc', program, path], {});
  expect(stderr).toBe('');
  const { holds, answers } = JSON.parse(stdout);
  expect(holds).toBe(false);
  expect(answers).toEqual(new Array(100).fill('last'));
});
