// The end of the log of `.ci/run`: why it is red, and how many tests passed. Reads what its steps left in a directory:
//   steps                  a line for each: `begin STEP`, `end STEP CODE`, `fault WORDS`, `skip WORDS`
//   logs/STEP              what a step printed
//   notes/STEP, again/STEP for tests, the notes of reporter.mjs; of a second look those in `again`
//
//   node .ci/summary.mjs again DIRECTORY   which files are to be looked at once more: lines `STEP FILE`
//   node .ci/summary.mjs all DIRECTORY     the end of the log; exits with 1 where the run is red

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { blockOf } from './reporter.mjs';

/** @typedef {import('./reporter.mjs').Note} Note */
/** @typedef {{ name: string, code: number | undefined, log: string[], notes: Note[] | null, again: Note[] }} Step */
/** @typedef {{ step: string, verdict: 'failed' | 'fails by chance' | 'passed only when run alone', note: Note }} Failure */

/** All that is said above the last line, and as much of it as everybody sees. */
const MOST_LINES = 190;
const SEEN_LINES = 50;
/** Where more files than this have failed, it is not by chance, and none is looked at again. */
const MOST_FILES_AGAIN = 12;
/** Where more tests than this pass only when they run alone, none of them is excused. */
const MOST_ALONE = 3;
/** What is shown of the log of a step that failed, and of the tests that were cut off. */
const FIRST_LINES = 10;
const LAST_LINES = 20;

/** Tests of what happens by chance: here a limit is no excuse. */
const STRICT = /^test\/(?:faults|property)\/|races/;

/**
 * The whole lines of a file; none where it is not there.
 * @param {string} path
 */
const linesOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []);

/**
 * @param {string} path
 * @returns {Note[]}
 */
const notesOf = (path) =>
  linesOf(path).map((line, i) => {
    try {
      return JSON.parse(line);
    } catch {
      const name = 'a note of the reporter cannot be read';
      return { event: 'failed', id: `note ${i}`, project: '', file: '', name, error: [line] };
    }
  });

/**
 * The steps of a run in their order, and what was said beside them.
 * @param {string} directory
 */
function readRun(directory) {
  const lines = linesOf(join(directory, 'steps'));
  /** @param {string} word */
  const said = (word) =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  const ends = new Map(
    said('end').map((line) => [line.replace(/ \d+$/, ''), Number(/\d+$/.exec(line)?.[0])]),
  );
  const steps = said('begin').map((name) => ({
    name,
    code: ends.get(name),
    log: linesOf(join(directory, 'logs', name)),
    notes: existsSync(join(directory, 'notes', name)) ? notesOf(join(directory, 'notes', name)) : null,
    again: notesOf(join(directory, 'again', name)),
  }));
  return { steps, faults: said('fault'), skipped: said('skip') };
}

/** @param {readonly Note[]} notes */
const failedIn = (notes) => notes.filter(({ event }) => event === 'failed');

/**
 * What failed in a step, with what the second look showed. What fails only there fails by chance, too.
 * @param {Step} step
 * @returns {Failure[]}
 */
function failuresOf({ name: step, notes, again }) {
  const first = failedIn(notes ?? []);
  const firstIds = new Set(first.map(({ id }) => id));
  const failedAgain = new Set(failedIn(again).map(({ id }) => id));
  const passedAgain = new Set(again.flatMap(({ event, id, file }) => (event === 'passed' ? [id, file] : [])));
  return [
    ...first.map((note) => {
      // A suite or a file has no note of its own when it is well.
      const isWell =
        passedAgain.has(note.limitMs === undefined ? note.file : note.id) && !failedAgain.has(note.id);
      const isExcused = note.byLimit && !STRICT.test(note.file);
      const whenWell = isExcused ? 'passed only when run alone' : 'fails by chance';
      return { step, verdict: /** @type {Failure['verdict']} */ (isWell ? whenWell : 'failed'), note };
    }),
    ...failedIn(again).flatMap((note) =>
      firstIds.has(note.id) ? [] : [{ step, verdict: /** @type {const} */ ('fails by chance'), note }],
    ),
  ];
}

/**
 * Why a step is red whose tests do not say it, as a block of lines, or none.
 * @param {Step} step
 */
function outsideOfTests({ name, code, log, notes }) {
  const states = new Map((notes ?? []).map((note) => [note.id, note]));
  const ranTests = [...states.values()].some(({ event }) => event === 'passed' || event === 'skipped');
  /** @param {readonly string[]} lines */
  const ends = (lines) => {
    const said = lines
      .map((line) => `    ${stripVTControlCharacters(line).slice(0, 200)}`)
      .filter((line) => line.trim() !== '');
    const isLong = said.length > FIRST_LINES + LAST_LINES;
    return isLong ? [...said.slice(0, FIRST_LINES), '    …', ...said.slice(-LAST_LINES)] : said;
  };
  if (code === undefined) {
    const running = [...states.values()].filter(({ event }) => event === 'ready');
    const where = running.map(({ project, file, name: test }) => `${project} · ${file} · ${test}`);
    return [`✗ ${name} was cut off${where.length === 0 ? '' : '; these ran:'}`, ...ends(notes ? where : log)];
  }
  const isTold = notes?.some(({ event }) => event === 'ended') && failedIn(notes).length > 0;
  if (code !== 0 && !isTold) return [`✗ ${name} ended with ${code}:`, ...ends(log)];
  return notes && code === 0 && !ranTests ? [`✗ ${name} ran no test`] : [];
}

/**
 * The names of the tests for root that no step has run.
 * @param {readonly Step[]} steps
 */
function leftToRoot(steps) {
  const notes = steps.flatMap(({ notes }) => notes ?? []).filter(({ forRoot }) => forRoot);
  const ran = new Set(
    notes.flatMap(({ event, id }) => (event === 'passed' || event === 'failed' ? [id] : [])),
  );
  return [
    ...new Set(notes.flatMap(({ event, id, name }) => (event === 'skipped' && !ran.has(id) ? [name] : []))),
  ];
}

/**
 * As many whole blocks as there is room for. Where not all of them can be seen, the first lines of all come last.
 * @param {readonly string[][]} blocks
 * @param {number} room
 */
function shortened(blocks, room) {
  const lines = blocks.flat();
  if (lines.length <= SEEN_LINES) return lines;
  const heads = blocks.slice(0, SEEN_LINES).map(([head = '']) => head);
  const left = blocks.length - heads.length;
  const short = ['', '== in short:', ...heads, ...(left === 0 ? [] : [`and ${left} more`])];
  const whole = [...blocks];
  while (whole.flat().length + short.length > room) whole.pop();
  return [...whole.flat(), ...short];
}

/**
 * @param {string} title
 * @param {readonly string[]} lines
 */
const titled = (title, lines) => (lines.length === 0 ? [] : [`== ${title}:`, ...lines, '']);

/**
 * The files with failed tests, each once: lines `STEP FILE`.
 * @param {readonly Step[]} steps
 */
function filesWithFailures(steps) {
  const failures = steps.flatMap(failuresOf).filter(({ note }) => note.file !== '');
  return [...new Set(failures.map(({ step, note }) => `${step} ${note.file}`))];
}

/** @param {ReturnType<typeof readRun>} run */
function summaryOf({ steps, faults, skipped }) {
  const failures = steps.flatMap(failuresOf);
  const files = filesWithFailures(steps).length;
  const alone = failures.filter(({ verdict }) => verdict === 'passed only when run alone');
  const excused = alone.length > MOST_ALONE ? [] : alone;
  const blocks = [
    ...faults.map((fault) => [`✗ ${fault}`]),
    ...steps.map(outsideOfTests).filter((block) => block.length > 0),
    ...failures
      .filter((failure) => !excused.includes(failure))
      .map(({ step, verdict, note }) => {
        const [head = '', ...rest] = blockOf(note);
        // What root alone can do is in the files of other projects.
        const where = step === 'root' ? head.replace('✗ ', '✗ root · ') : head;
        return [verdict === 'failed' ? where : `${where}: ${verdict}`, ...rest];
      }),
  ];
  const tooMany = `${files} files a second time: where more than ${MOST_FILES_AGAIN} have failed it is not by chance`;
  const above = [
    ...titled('not run', files > MOST_FILES_AGAIN ? [...skipped, tooMany] : skipped),
    ...titled('not run, as they need what only root may do', leftToRoot(steps)),
  ].slice(0, SEEN_LINES);
  const debts = titled(
    'passed only when run alone',
    excused.flatMap(({ note }) => blockOf(note)),
  );
  const passedOnce = steps.flatMap(({ notes, again }) => {
    const failedAgain = new Set(failedIn(again).map(({ id }) => id));
    return (notes ?? []).filter(({ event, id }) => event === 'passed' && !failedAgain.has(id));
  });
  const passed = passedOnce.length + excused.length;
  if (passed === 0 && blocks.length === 0) blocks.push(['✗ nothing was run']);
  const room = MOST_LINES - above.length - debts.length - 2;
  return {
    lines: [...above, ...debts, ...titled('what failed', shortened(blocks, room))],
    passed,
    failed: blocks.length,
  };
}

const [what, directory = ''] = process.argv.slice(2);
const run = readRun(directory);
if (what === 'again') {
  const files = filesWithFailures(run.steps);
  if (files.length <= MOST_FILES_AGAIN) process.stdout.write(files.map((line) => `${line}\n`).join(''));
} else {
  const { lines, passed, failed } = summaryOf(run);
  process.stdout.write(['', ...lines, `${passed} passed, ${failed} failed`, ''].join('\n'));
  process.exitCode = failed === 0 ? 0 : 1;
}
