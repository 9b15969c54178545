// What Codex prints in a turn, in any size: the shapes of fixtures/streams/codex-0.169, with texts of our own.

import { closeSync, openSync, writeSync } from 'node:fs';

/**
 * The same random numbers from 0 up to, not including, 1 in every run: two runs measure the same files.
 * @typedef {() => number} Random
 */

/**
 * The generator known as mulberry32.
 * @param {number} seed
 * @returns {Random}
 */
export function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @type {(random: Random, choices: readonly string[]) => string} */
const oneOf = (random, choices) => choices[Math.floor(random() * choices.length)] ?? '';

export const MB = 1_000_000;

/** The thread of all long streams. */
export const THREAD = '01a1f880-cca3-79a3-8778-5ecb9fbaa773';
const WORDS =
  `the a of to function returns error test module file line value “quoted” naïve – ✓ src/app.ts 42 0x1f null\
 "name" \\d+ const await import assert passed failed expected received at Object.<anonymous> warning`.split(
    ' ',
  );
const COMMANDS = ['npm test', 'git diff --stat', 'rg -n TODO src', "sed -n '1,80p' src/app.ts", 'ls -la'];

/** Three lines of this size in every 100 MB: the output of a command that printed a whole file. */
const HUGE_LINE = 12 * MB;
const HUGE_EVERY = 33 * MB;

/**
 * Text like that of programs, a line every dozen words.
 * @param {number} length
 */
function makePool(length) {
  const random = randomOf(1);
  let text = '';
  while (text.length < length) text += `${oneOf(random, WORDS)}${random() < 0.08 ? '\n' : ' '}`;
  return text;
}

const POOL = makePool(1 << 18);

/**
 * @param {Random} random
 * @param {number} mean length of an exponential distribution
 */
function textOf(random, mean) {
  const length = Math.min(Math.ceil(-Math.log(1 - random()) * mean), POOL.length / 2);
  const from = Math.floor((random() * POOL.length) / 2);
  return POOL.slice(from, from + length);
}

/** @param {object} event */
const line = (event) => `${JSON.stringify(event)}\n`;

/**
 * @param {string} kind
 * @param {object} item
 */
const itemLine = (kind, item) => line({ type: `item.${kind}`, item });

/**
 * @param {string} id
 * @param {string} command
 * @param {string} output
 */
const commandLine = (id, command, output) =>
  itemLine('completed', {
    ...{ id, type: 'command_execution', command: `/bin/bash -lc '${command}'` },
    ...{ aggregated_output: output, exit_code: 0, status: 'completed' },
  });

/**
 * One step of an agent, mostly a command: the line of its beginning and that of its end.
 * @param {Random} random
 * @param {number} number
 */
export function stepLines(random, number) {
  const id = `item_${number}`;
  const kind = random();
  if (kind < 0.08)
    return itemLine('completed', { id, type: 'reasoning', text: `**${textOf(random, 200)}**` });
  if (kind < 0.14) {
    const changes = [{ path: `/workspace/src/file-${number}.ts`, kind: 'update' }];
    const item = { id, type: 'file_change', changes };
    return (
      itemLine('started', { ...item, status: 'in_progress' }) +
      itemLine('completed', { ...item, status: 'completed' })
    );
  }
  if (kind < 0.17) {
    const items = [0, 1, 2].map((i) => ({ text: textOf(random, 40), completed: i === 0 }));
    return itemLine('completed', { id, type: 'todo_list', items });
  }
  if (kind < 0.25) return messageLine(id, textOf(random, 300));
  const command = oneOf(random, COMMANDS);
  const begun = { id, type: 'command_execution', command: `/bin/bash -lc '${command}'` };
  return (
    itemLine('started', { ...begun, aggregated_output: '', exit_code: null, status: 'in_progress' }) +
    commandLine(id, command, textOf(random, 2500))
  );
}

/**
 * @param {string} id
 * @param {string} text
 */
export const messageLine = (id, text) => itemLine('completed', { id, type: 'agent_message', text });

/** @param {string} thread */
export const beginLines = (thread) =>
  line({ type: 'thread.started', thread_id: thread }) + line({ type: 'turn.started' });

/** @param {{ input_tokens: number, output_tokens: number }} usage */
export const endLine = ({ input_tokens, output_tokens }) =>
  line({
    type: 'turn.completed',
    usage: {
      ...{ input_tokens, cached_input_tokens: 0, cache_write_input_tokens: 0 },
      ...{ output_tokens, reasoning_output_tokens: 0 },
    },
  });

/** The stream of a further turn of that thread. */
export const shortStream = () =>
  beginLines(THREAD) +
  messageLine('item_0', 'It goes on.') +
  endLine({ input_tokens: 6_000_000, output_tokens: 60_000 });

/**
 * The line of a command with an output of about this size, in pieces.
 * @param {string} id
 * @param {number} bytes
 */
function* hugeLine(id, bytes) {
  const [head = '', tail = ''] = commandLine(id, 'cat everything', '\u0000').split('\\u0000');
  const piece = Buffer.from(JSON.stringify(POOL).slice(1, -1));
  yield Buffer.from(head);
  for (let left = bytes; left > 0; left -= piece.length) yield piece;
  yield Buffer.from(tail);
}

/**
 * Writes the stream of a whole turn.
 * @param {string} path
 * @param {{ bytes: number, line?: number }} size about how large it is, and how large one line in its midst
 * @returns {{ bytes: number, open: number }} its size, and how much of it a turn has printed that is about to end
 */
export function writeStream(path, { bytes, line: lineBytes }) {
  const random = randomOf(2);
  const fd = openSync(path, 'w', 0o600);
  let written = 0;
  /** @param {Buffer} piece */
  const put = (piece) => {
    for (let done = 0; done < piece.length; ) done += writeSync(fd, piece, done);
    written += piece.length;
  };
  let number = 0;
  const steps = () => {
    let text = '';
    while (text.length < Math.min(1 << 16, bytes)) text += stepLines(random, number++);
    put(Buffer.from(text));
  };
  try {
    put(Buffer.from(beginLines(THREAD)));
    let nextHuge = HUGE_EVERY / 2;
    while (written < bytes) {
      steps();
      if (written > nextHuge) {
        for (const piece of hugeLine(`item_${number++}`, HUGE_LINE)) put(piece);
        nextHuge += HUGE_EVERY;
      }
    }
    if (lineBytes !== undefined) {
      for (const piece of hugeLine(`item_${number++}`, lineBytes)) put(piece);
      steps();
    }
    const open = written;
    put(Buffer.from(messageLine(`item_${number}`, 'All of it is done.')));
    put(Buffer.from(endLine({ input_tokens: 5_000_000, output_tokens: 50_000 })));
    return { bytes: written, open };
  } finally {
    closeSync(fd);
  }
}
