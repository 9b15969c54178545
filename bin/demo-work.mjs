// What the demo agent does in the project of `zwarm demo`. It has no model: a few words in a message tell it which of
// these jobs to do. All else is real: the commands run, what they print decides, and the files change. It writes in its
// working directory alone, and in `read-only` nowhere but in its own scratch directory.

import { execFile } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * What a job works with.
 * @typedef {object} Tools
 * @property {(event: Record<string, unknown>) => void} emit prints an event
 * @property {() => Promise<unknown>} pause makes it slow enough to watch
 * @property {boolean} mayWrite in its working directory
 * @property {string} scratch a directory of its own, elsewhere
 */

const TEST = 'node cart.test.js';
const PROJECT = process.cwd();
// The node that runs this, whatever the PATH.
const PATH = [dirname(process.execPath), process.env['PATH'] ?? '/usr/bin:/bin'].join(delimiter);
const env = { ...process.env, PATH };

/** @param {string} command @param {string} cwd @returns {Promise<{ code: number, output: string }>} */
function shell(command, cwd) {
  return new Promise((resolve, reject) =>
    execFile('/bin/sh', ['-c', command], { cwd, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, output: stdout + stderr });
      else reject(error);
    }),
  );
}

let steps = 0;
function nextId() {
  steps += 1;
  return `step-${steps}`;
}

/** Runs a command in the project, as a step. @param {Tools} tools @param {string} command */
async function run({ emit, pause }, command) {
  const step = { demo: 'command', id: nextId(), command };
  emit({ ...step, output: null, exit_code: null });
  await pause();
  const { code, output } = await shell(command, PROJECT);
  emit({ ...step, output, exit_code: code });
  return { code, output };
}

/** Says that a file of the project was changed. @param {Tools} tools @param {string} file */
async function tellChange({ emit, pause }, file) {
  emit({ demo: 'wrote', id: nextId(), path: join(PROJECT, file), kind: 'update' });
  await pause();
}

/** All ways to put another operator into one place of a text. @param {string} text */
function* otherOperators(text) {
  for (const { 0: was, index } of text.matchAll(/(?<= )[-+*/](?= )/g)) {
    const line = text.slice(0, index).split('\n').length;
    const others = ['-', '+', '*', '/'].filter((operator) => operator !== was);
    for (const operator of others)
      yield { line, text: text.slice(0, index) + operator + text.slice(index + 1) };
  }
}

/** The first change of an operator with which the test passes, tried on a copy. @param {string} scratch */
async function searchMend(scratch) {
  const copy = join(scratch, 'copy');
  mkdirSync(copy, { recursive: true, mode: 0o700 });
  const files = readdirSync(PROJECT).filter((file) => /\.js(on)?$/.test(file));
  for (const file of files) copyFileSync(join(PROJECT, file), join(copy, file));
  let tried = 0;
  for (const file of files.filter((name) => /(?<!\.test)\.js$/.test(name))) {
    const before = readFileSync(join(PROJECT, file), 'utf8');
    for (const { line, text } of otherOperators(before)) {
      tried += 1;
      writeFileSync(join(copy, file), text);
      const { code } = await shell(TEST, copy);
      const [was, is] = [before, text].map((whole) => whole.split('\n')[line - 1]?.trim());
      if (code === 0) return { file, line, text, was, is, tried };
    }
    writeFileSync(join(copy, file), before);
  }
  return null;
}

/** @param {Tools} tools */
async function mend(tools) {
  if ((await run(tools, TEST)).code === 0) return 'The test passes: there is nothing to mend.';
  tools.emit({ demo: 'think', text: 'I try other operators until the test passes: I have no model.' });
  await tools.pause();
  const found = await searchMend(tools.scratch);
  if (found === null) return 'The test fails, and no other operator makes it pass.';
  const { file, line, text, was, is, tried } = found;
  const change = `line ${line} of \`${file}\`:\n\n- from \`${was}\`\n- to \`${is}\``;
  if (!tools.mayWrite) return `I may not write here. To make the test pass, change ${change}`;
  writeFileSync(join(PROJECT, file), text);
  await tellChange(tools, file);
  const { code } = await run(tools, TEST);
  const end = code === 0 ? '**The test passes.**' : '**The test still fails.**';
  return `${end} I changed ${change}\n\nThis was change ${tried} of those that I tried.`;
}

/** @param {Tools} tools @param {string} message such as `Add a test: 7 pears at 30` */
async function addTest(tools, message) {
  const [, quantity, name, price] = SUM.exec(message) ?? [];
  const total = Number(quantity) * Number(price);
  const line = `check('${quantity} ${name}', [{ price: ${price}, quantity: ${quantity} }], ${total});`;
  if (!tools.mayWrite) return `I may not write here. The line would be \`${line}\`.`;
  appendFileSync(join(PROJECT, 'cart.test.js'), `${line}\n`);
  await tellChange(tools, 'cart.test.js');
  const { code } = await run(tools, TEST);
  return `${quantity} ${name} cost ${total}, and the test ${code === 0 ? 'passes' : 'fails'}.`;
}

/** @param {Tools} tools @param {string} message may name a file */
async function listTodos(tools, message) {
  const files = /\w[\w.]*\.js\b/.exec(message)?.[0] ?? '*.js';
  const { output } = await run(tools, `grep -Hn TODO ${files}`);
  const found = [...output.matchAll(/^(.+?):(\d+):.*TODO:? *(.*)$/gm)];
  const [first, ...others] = found;
  if (first === undefined) return `There is no TODO in \`${files}\`.`;
  if (others.length === 0) return `One TODO, in line ${first[2]} of \`${first[1]}\`: ${first[3]}.`;
  const rows = found.map(([, file, line, what]) => `| \`${file}\` | ${line} | ${what} |`);
  return ['| file | line | to do |', '| --- | ---: | --- |', ...rows].join('\n');
}

/** @param {Tools} tools */
async function watch(tools) {
  const { code } = await run(tools, 'tail -f build.log');
  return `tail ended with exit code ${code}.`;
}

const SUM = /(\d+) (\w+) at (\d+)/;

/** @type {readonly (readonly [words: RegExp, job: (tools: Tools, message: string) => Promise<string>])[]} */
const JOBS = [
  [/\btodo/i, listTodos],
  [/\bwatch/i, watch],
  [/\b(mend|fix)/i, mend],
  [SUM, addTest],
];

/**
 * What a conversation asks for: the job that its newest message names, else the one before that, and so on. Null where
 * no message names one. A job does its work and returns the answer, in Markdown.
 * @param {readonly string[]} messages oldest first
 */
export function jobFor(messages) {
  const newest = messages.at(-1) ?? '';
  for (const message of messages.toReversed()) {
    const job = JOBS.find(([words]) => words.test(message))?.[1];
    if (job !== undefined) return (/** @type {Tools} */ tools) => job(tools, newest);
  }
  return null;
}
