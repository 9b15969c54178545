// What zwarm may cost. Those of `show` are budgets, which a simple solution may use up; any other target that is beaten
// is lowered here, so that it stays beaten.

/**
 * @typedef {object} Target
 * @property {string} name by which `npm run bench -- WORD` finds it, and its row in rows.js
 * @property {string} what
 * @property {string | null} against the baseline of the same run; null for a plain value
 * @property {number} atMost the ratio of the two, or the value in `unit`
 * @property {'ratio' | 'ms' | 'MB' | 'shell'} unit
 * @property {boolean} quick whether `--quick` measures it, too
 */

const NODE = '`node -e 0`';
const CONSOLE = "`node -e 'console.log(1)'` there";
const NOHUP = 'Node script with `nohup … &`';
const CAT = '`cat` of all `summary.json`';
const SMALL = '`zwarm ls` of a 1 MB turn';

/** @type {readonly Target[]} */
export const TARGETS = [
  ratio('version', '`zwarm --version`', NODE, 1.15),
  ratio('help', '`zwarm --help`', NODE, 1.45),
  ratio('ls 10', '`zwarm ls`, 10 sessions', NODE, 1.45),
  ratio('start exits', '`zwarm start` until it exits', NOHUP, 1.45),
  ratio('start runs', '`zwarm start` until the agent runs', NOHUP, 1.25),
  ratio('ls 3000', '`zwarm ls --all`, 3,000 sessions', CAT, 1.6),
  fullOnly(ratio('ls 10000', '`zwarm ls --all`, 10,000 sessions', CAT, 1.3)),
  ratio('status 100 MB', '`zwarm ls`, a running turn of 100 MB', SMALL, 1.1),
  fullOnly(ratio('status 1 GB', '`zwarm ls`, a running turn of 1 GB', SMALL, 1.1)),
  ratio('screen 1 kB', 'first byte of `zwarm show` on a terminal, a turn of 1 kB', CONSOLE, 4),
  ratio('screen 1 MB', 'first byte of `zwarm show` on a terminal, a turn of 1 MB', CONSOLE, 4),
  ratio('screen 100 MB', 'first byte of `zwarm show` on a terminal, a turn of 100 MB', CONSOLE, 4),
  fullOnly(ratio('screen 1 GB', 'first byte of `zwarm show` on a terminal, a turn of 1 GB', CONSOLE, 4)),
  ratio('show full 100 MB', '`zwarm show --full` to a file, a turn of 100 MB', '`jq -c .`', 1),
  ratio('show json 1 MB', '`zwarm show --json`, a turn of 1 MB', NODE, 2),
  ratio('show json 100 MB', '`zwarm show --json`, a turn of 100 MB', '`jq -c .`', 0.35),
  ratio('memory show 100 MB', 'peak memory of `show --json`, a turn of 100 MB', NODE, 2.5),
  fullOnly(ratio('memory show 1 GB', 'peak memory of `show --json`, a turn of 1 GB', NODE, 2.5)),
  ratio('memory show line', 'peak memory of `show --json`, a line of 300 MB', NODE, 2.5),
  fullOnly(ratio('memory ls 10000', 'peak memory of `ls --all`, 10,000 sessions', NODE, 2.1)),
  value('left processes', 'left behind per running session', 1, 'shell'),
  value('left memory', 'left behind per running session, its private memory', 0.2, 'MB'),
  ratio('100 starts', '100 durable starts from one process (library)', 'task-spooler, 100 jobs', 3),
  value('logs', '`logs -f`, line written → line shown', 5, 'ms'),
  value('kill', '`kill` returns after the process’s end', 40, 'ms'),
  value('wait', '`wait` returns after the process’s end', 50, 'ms'),
  // The laws of growth: what does not grow is about the same for ten or a thousand times as much.
  ratio('growth start', '`zwarm start` among 3,000 sessions', '… where there is none', 1.1),
  ratio('growth inject', '`zwarm inject` after a turn of 100 MB', '… of 1 MB', 1.1),
];

/**
 * @param {string} name
 * @param {string} what
 * @param {string} against
 * @param {number} atMost
 * @returns {Target}
 */
function ratio(name, what, against, atMost) {
  return { name, what, against, atMost, unit: 'ratio', quick: true };
}

/**
 * @param {string} name
 * @param {string} what
 * @param {number} atMost
 * @param {'ms' | 'MB' | 'shell'} unit
 * @returns {Target}
 */
function value(name, what, atMost, unit) {
  return { name, what, against: null, atMost, unit, quick: true };
}

/**
 * A target whose corpus or runs take too long for two minutes.
 * @param {Target} target
 * @returns {Target}
 */
function fullOnly(target) {
  return { ...target, quick: false };
}
