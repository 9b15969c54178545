// Stores full of sessions that have ended, written file by file as docs/formats.md says.

import { createHash } from 'node:crypto';
import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { oneOf, randomOf } from './random.js';
import { beginLines, endLine, messageLine, stepLines, textOf, writeStream } from './streams.js';

/** The version of summaries that zwarm believes; test/bench compares it with zwarm's own. */
const FOLD = 6;

const LETTERS = 'abcdefghjkmnpqrstuvwxyz';
const CHARACTERS = `${LETTERS}23456789`;
const FIRST_MS = Date.parse('2026-01-01T00:00:00.000Z');
const MINUTE_MS = 60_000;

const IDENTITY = {
  ...{ host: 'lamp', boot_id: '00000000-0000-4000-8000-000000000000', pid_ns: 'pid:[4026531836]', uid: 1000 },
};

/** @param {number} ms */
const iso = (ms) => new Date(ms).toISOString();

/**
 * In ASCII, as summaries are.
 * @param {object} record
 */
const asciiJson = (record) =>
  JSON.stringify(record).replace(/[\x80-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/**
 * @param {string} path
 * @param {string | object} content text, or a record
 * @param {number} [ms] when it was written
 */
function put(path, content, ms) {
  const text = typeof content === 'string' ? content : `${asciiJson({ v: 1, ...content })}\n`;
  writeFileSync(path, text, { mode: 0o600 });
  if (ms !== undefined) utimesSync(path, ms / 1000, ms / 1000);
}

/** @param {string} path */
const makeDirectory = (path) => mkdirSync(path, { recursive: true, mode: 0o700 });

/**
 * The store of a project outside of git, whose user's home lies beside it.
 * @param {string} project a real path
 */
export function storeOf(project) {
  const name = basename(project)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 40);
  const key = createHash('sha256').update(project).digest('hex').slice(0, 16);
  return join(dirname(project), 'home/.local/state/zwarm/projects', `${name}-${key}`);
}

/**
 * An empty store of this project.
 * @param {string} project
 * @returns {string} the store
 */
export function createStore(project) {
  const root = storeOf(project);
  for (const name of ['sessions', 'names', 'trash']) makeDirectory(join(root, name));
  put(join(root, 'format'), '2\n');
  const { ino, birthtimeMs } = statSync(project);
  put(join(root, 'project.json'), {
    ...{ store_id: 'benchbenchbenchbenchbenc', path: project, host: IDENTITY.host },
    ...{ inode: String(ino), birth_time: iso(Math.floor(birthtimeMs)), created_at: iso(FIRST_MS) },
  });
  return root;
}

/**
 * @param {string} directory of the turn
 * @param {{ number: number, prompt: string, thread: string, ms: number }} turn
 * @param {(events: string) => number} writeEvents to this path; their size
 */
function writeTurn(directory, { number, prompt, thread, ms }, writeEvents) {
  makeDirectory(directory);
  /** @param {string} name */
  const file = (name) => join(directory, name);
  const runner = { ...IDENTITY, pid: 4242, uptime: 1000 };
  const start = '4242 (sh) S 1 4242 4242 0 -1 4194304 114 0 0 0 0 0 0 0 20 0 1 0 91271 2654208 435';
  put(file('request.json'), {
    ...{ kind: 'prompt', queued: false, claimer: { ...IDENTITY, pid: 4241, start: '91270' } },
    ...{ nonce: 't3g5xyysrsqene88hp3nucb8', by: 'user', at: iso(ms), to: null, covers: [] },
  });
  put(file('prompt.md'), prompt);
  put(file('launch.json'), {
    ...{ argv: ['exec', '--json', '-'], program: '/usr/bin/codex', agent_version: '0.169.0' },
    ...{ thread_id: number === 1 ? null : thread, forks: false, how: number === 1 ? 'fresh' : 'native' },
    ...{ why: null, at: iso(ms) },
  });
  put(file('runner.stat'), { ...runner, stat: start }, ms);
  put(file('stderr.log'), '');
  const bytes = writeEvents(file('events.jsonl'));
  put(
    file('exit.json'),
    {
      ...{
        code: 0,
        why: null,
        cancelled: false,
        uptime: 1030.5,
        ended_at: iso(ms + 30_000).replace('.000', ''),
      },
      events_bytes: bytes,
    },
    ms + 30_000,
  );
  put(file('notified.json'), { at: iso(ms + 30_100) });
}

/**
 * @param {string} root
 * @param {string} id
 * @param {{ task: string, project: string, ms: number }} session
 * @returns what its summary tells of it
 */
function writeRecord(root, id, { task, project, ms }) {
  makeDirectory(join(root, 'sessions', id, 'turns'));
  const path = join(root, 'sessions', id, 'session.json');
  const listed = {
    ...{ agent: 'codex', task, working_dir: project, work_in: null, model: null, sandbox: 'workspace-write' },
    ...{ source: 'user', tags: [], parent: null, forked_from: null, created_at: iso(ms) },
  };
  put(path, { ...listed, agent_args: [], git: null, executor: 'local', orchestrates: false }, ms);
  return listed;
}

/**
 * @param {import('./random.js').Random} random
 * @param {string} characters
 * @param {number} count
 */
const word = (random, characters, count) =>
  Array.from({ length: count }, () => oneOf(random, [...characters])).join('');

/**
 * A store with sessions of one to three turns, all of them completed, with their summaries.
 * @param {string} project
 * @param {number} count
 */
export function writeSessions(project, count) {
  const root = createStore(project);
  const random = randomOf(3);
  for (let i = 0; i < count; i += 1) {
    const id = word(random, LETTERS, 1) + word(random, CHARACTERS, 9);
    const thread = `01a1f881-ec1e-7f12-b7c6-${String(i).padStart(12, '0')}`;
    const ms = FIRST_MS + i * 10 * MINUTE_MS;
    const title = `Task ${i}`;
    const task = `${title}\n${textOf(random, 150).slice(0, 400).trim()}`;
    const listed = writeRecord(root, id, { task, project, ms });
    const turns = 1 + Math.floor(random() * 3);
    let answer = '';
    for (let turn = 1; turn <= turns; turn += 1) {
      answer = `Turn ${turn} is done. ${textOf(random, 200).slice(0, 400)}`.trim();
      const prompt = turn === 1 ? task : textOf(random, 100);
      const began = ms + (turn - 1) * MINUTE_MS;
      let events = beginLines(thread);
      for (let step = 0; step < 8; step += 1) events += stepLines(random, step);
      // Codex reports what the whole thread has used so far.
      events +=
        messageLine('item_8', answer) + endLine({ input_tokens: 1000 * turn, output_tokens: 50 * turn });
      writeTurn(
        join(root, 'sessions', id, 'turns', String(turn)),
        { number: turn, prompt, thread, ms: began },
        (path) => {
          put(path, events);
          return Buffer.byteLength(events);
        },
      );
    }
    const ended = iso(ms + (turns - 1) * MINUTE_MS + 30_000);
    const usage = { input_tokens: 1000 * turns, cached_input_tokens: 0, output_tokens: 50 * turns };
    const state = {
      ...{ status: 'completed', turn: turns, updated_at: ended, ended_at: ended },
      ...{ duration_ms: 30_500 * turns, pid: null, exit_code: 0, signal: null, error: null, pending: null },
      thread_id: thread,
      token_usage: { ...usage, reasoning_output_tokens: 0, total_tokens: 1050 * turns },
      ...{ cost_usd: null, last_message: answer },
    };
    const summary = { fold: FOLD, newest: turns, listed: { ...listed, title, ...state } };
    put(join(root, 'sessions', id, 'summary.json'), summary);
  }
}

/** The one session of a project that holds a long stream. */
export const LONG = 'readstream';

/**
 * A store with the session LONG, which has completed one turn.
 * @param {string} project
 * @param {Parameters<typeof writeStream>[1]} size of that turn's stream
 * @returns {{ events: string, open: number }} the stream, and how much of it there was before the end
 */
export function writeLongSession(project, size) {
  const root = createStore(project);
  const task = 'Read all of it.';
  writeRecord(root, LONG, { task, project, ms: FIRST_MS });
  const directory = join(root, 'sessions', LONG, 'turns', '1');
  let open = 0;
  writeTurn(directory, { number: 1, prompt: task, thread: '', ms: FIRST_MS }, (path) => {
    const written = writeStream(path, size);
    open = written.open;
    return written.bytes;
  });
  return { events: join(directory, 'events.jsonl'), open };
}
