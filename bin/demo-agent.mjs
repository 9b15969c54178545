#!/usr/bin/env node
// The demo agent: behaves like a coding agent for a few seconds, offline, and touches nothing but a scratch
// directory of its own. It reads its prompt on stdin, prints one JSON object per line (src/agents/demo/translate.ts),
// and remembers each thread so that it can be resumed and forked.
//
//   demo-agent.mjs [--model M] [--sandbox MODE] [--resume THREAD | --fork THREAD] [--seconds N] [--fail] [--hang]
//                 [--ignore-term] [--half-line] [--exit N]
//
// Only in the project of `zwarm demo` does it work for real (demo-work.mjs). It knows that by ZWARM_DEMO_PROJECT, which
// `zwarm demo` sets to that directory. A file there could not tell it: an agent in a sandbox may be able to write one,
// and would have its code run here, outside of the sandbox.
//
// The same words in the prompt do the same, as [[fail]], [[hang]], [[ignore-term]], [[half-line]], [[exit=N]] and
// [[seconds=N]].

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { jobFor } from './demo-work.mjs';

const { values: options } = parseArgs({
  options: {
    model: { type: 'string' },
    sandbox: { type: 'string' },
    fork: { type: 'string' },
    resume: { type: 'string' },
    seconds: { type: 'string' },
    exit: { type: 'string' },
    fail: { type: 'boolean' },
    hang: { type: 'boolean' },
    'ignore-term': { type: 'boolean' },
    'half-line': { type: 'boolean' },
  },
});

const prompt = readFileSync(0, 'utf8');

/** @param {'fail' | 'hang' | 'ignore-term' | 'half-line'} name */
const wanted = (name) => options[name] === true || prompt.includes(`[[${name}]]`);

/** @param {'seconds' | 'exit'} name @param {number} otherwise */
function numberFor(name, otherwise) {
  const text = options[name] ?? new RegExp(`\\[\\[${name}=([0-9.]+)\\]\\]`).exec(prompt)?.[1];
  return text === undefined ? otherwise : Number(text);
}

/** @param {Record<string, unknown>} event */
function emit(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

const state = process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
const threads = join(state, 'zwarm', 'demo');

/** @param {string} thread @returns {string[]} the prompts that this thread has seen */
function remembered(thread) {
  try {
    return JSON.parse(readFileSync(join(threads, thread, 'prompts.json'), 'utf8'));
  } catch (error) {
    process.stderr.write(`demo agent: cannot continue thread ${thread}: ${String(error)}\n`);
    process.exit(1);
  }
}

const origin = options.resume ?? options.fork;
if (origin !== undefined && !/^[0-9a-f-]{36}$/.test(origin)) {
  process.stderr.write('demo agent: that is no thread id\n');
  process.exit(2);
}
if (wanted('ignore-term')) process.on('SIGTERM', () => process.stderr.write('demo agent: SIGTERM ignored\n'));

const thread = options.resume ?? randomUUID();
const prompts = origin === undefined ? [] : remembered(origin);
const scratch = join(threads, thread);
const pause = () => sleep((numberFor('seconds', 3) * 1000) / 4);
const subject =
  prompt
    .replace(/\[\[[^\]]*\]\]/g, '')
    .trim()
    .split('\n', 1)[0]
    ?.slice(0, 200) ?? '';

// Whatever the caller's, which may be one that takes the rights to its own files.
process.umask(0o077);
// As zwarm: nothing in the home of another user, whose HOME root may have.
let above = threads;
while (!existsSync(above)) above = dirname(above);
const { uid } = statSync(above);
if (uid !== 0 && uid !== process.getuid?.()) {
  process.stderr.write(`demo agent: ${above} belongs to another user (uid ${uid})\n`);
  process.exit(1);
}
mkdirSync(scratch, { recursive: true, mode: 0o700 });
writeFileSync(join(scratch, 'prompts.json'), JSON.stringify([...prompts, prompt]), { mode: 0o600 });
emit({ demo: 'thread', id: thread, model: options.model ?? null });

/** Makes a note of its task and counts the words of it: what it does anywhere else. */
async function takeNote() {
  await pause();
  emit({ demo: 'think', text: `The user wants: ${subject}. I will make a note and look at it.` });
  await pause();
  const note = join(scratch, `note-${prompts.length + 1}.md`);
  writeFileSync(note, `# ${subject}\n\n${prompt}\n`, { mode: 0o600 });
  emit({ demo: 'wrote', id: 'file-1', path: note, kind: 'add' });
  emit({ demo: 'command', id: 'command-1', command: 'wc -w < note', output: null, exit_code: null });
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'wc -w < "$1"', 'sh', note]);
  await pause();
  emit({ demo: 'command', id: 'command-1', command: 'wc -w < note', output: stdout, exit_code: 0 });
  const before =
    prompts.length === 0 ? '' : ` Before that you asked: ${prompts.map((p) => p.trim()).join(' / ')}.`;
  return `Done: ${subject} (${stdout.trim()} words noted).${before}`;
}

const job = process.env['ZWARM_DEMO_PROJECT'] === process.cwd() ? jobFor([...prompts, prompt]) : null;
const mayWrite = options.sandbox !== 'read-only';
const answer = await (job?.({ emit, pause, mayWrite, scratch }) ?? takeNote());

if (wanted('hang') || wanted('ignore-term')) {
  emit({ demo: 'think', text: 'I shall wait until somebody stops me.' });
  await new Promise(() => setInterval(() => {}, 1 << 30));
}
if (wanted('half-line')) {
  process.stdout.write('{"demo":"say","text":"half a li');
  process.exit(numberFor('exit', 0));
}
if (wanted('fail')) {
  emit({ demo: 'failed', message: 'the demo agent was asked to fail' });
  process.exit(numberFor('exit', 1));
}

await pause();
emit({ demo: 'say', text: answer });
emit({
  demo: 'done',
  input_tokens: Math.ceil([...prompts, prompt].join('').length / 4),
  output_tokens: 40 + prompts.length,
});
process.exitCode = numberFor('exit', 0);
