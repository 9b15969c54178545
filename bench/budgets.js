// The budgets: what zwarm may cost beside what one would run instead.

import { zwarm } from './ground.js';
import {
  bare,
  firstScreen,
  follow,
  idleCpu,
  inject,
  jq,
  kill,
  lastSteps,
  leftBehind,
  memory,
  memoryOfScreen,
  memoryOfShow,
  nothing,
  privateMb,
  returns,
  search,
  show,
  start,
  startInTree,
  statusOfRunning,
  wait,
  wall,
} from './rows.js';

/** @typedef {import('./measure.js').Pairs} Pairs */
/** @template T @typedef {import('./rows.js').Measure<T>} Measure */

/**
 * One row. A ratio is measured as pairs of zwarm and the baseline, anything else as values.
 * @typedef {{ name: string, what: string, atMost: number, needs?: string, quick?: false } & (
 *   | { against: string, unit: 'ratio', measure: Measure<Pairs> }
 *   | { against: null, unit: 'ms' | 'MB' | 'shell' | '% of a core', measure: Measure<readonly number[]> })} Budget
 */

const NODE = '`node -e 0`';
const SMALL = 'the same of 1 MB';

/**
 * The row of a ratio.
 * @param {[name: string, what: string, against: string, atMost: number]} row
 * @param {Measure<Pairs>} measure
 * @returns {Budget}
 */
const ratio = ([name, what, against, atMost], measure) => ({
  ...{ name, what, against, atMost, unit: 'ratio', measure },
});

/** A row that takes too long for `--quick`. @type {(budget: Budget) => Budget} */
const full = (budget) => ({ ...budget, quick: false });

/** The row of a list of so many sessions. @param {number} count */
const listOf = (count) =>
  ratio(
    [`ls ${count}`, `\`ls --all\`, ${count.toLocaleString('en')} sessions`, '`cat` of all `summary.json`', 2],
    (bench) => {
      const project = bench.sessions.many(count);
      const cat = { program: '/bin/sh', args: ['-c', 'cat .zwarm/sessions/*/summary.json'], cwd: project };
      return wall(bench, zwarm(project, 'ls', '--all'), cat);
    },
  );

/** @type {Budget[]} */
const SCREENS = /** @type {const} */ (['1 kB', '1 MB', '100 MB', '1 GB']).flatMap((size) =>
  [[], ['--full']].flatMap((options) => {
    const command = ['show', ...options].join(' ');
    const rows = [
      ratio(
        [
          ['screen', size, ...options].join(' '),
          `\`${command}\` on a terminal: first byte, turn of ${size}`,
          "`node -e 'console.log(1)'` there",
          4,
        ],
        firstScreen(size, ...options),
      ),
      ratio(
        [
          ['memory screen', size, ...options].join(' '),
          `peak memory of \`${command}\` on a terminal until then, turn of ${size}`,
          NODE,
          2.5,
        ],
        memoryOfScreen(size, ...options),
      ),
    ];
    const needs = { needs: 'script', ...(size === '1 GB' && { quick: /** @type {const} */ (false) }) };
    return rows.map((row) => ({ ...row, ...needs }));
  }),
);

/** @type {readonly Budget[]} */
export const BUDGETS = [
  ratio(['version', '`--version`', NODE, 1.2], bare('--version')),
  ratio(['help', '`--help`', NODE, 1.2], bare('--help')),
  ratio(['ls 10', '`ls` of ten', NODE, 1.6], (bench) => {
    const project = bench.sessions.many(10);
    return wall(bench, zwarm(project, 'ls'), nothing(project));
  }),
  ratio(['start', '`start` until it exits', 'Node script with `nohup … &`', 2.2], start),
  full(
    ratio(['start -W', '`start -W` of 20,000 files, less 150 ms', '`git worktree add`', 1.3], startInTree),
  ),
  listOf(3000),
  full(listOf(10_000)),
  ratio(
    ['ls upgraded', '`ls --all`, 400 sessions, right after an upgrade', 'the same of 400 before it', 8],
    (bench) => {
      const list = (/** @type {string} */ project) => zwarm(project, 'ls', '--all');
      return wall(bench, list(bench.sessions.outdated(400)), list(bench.sessions.many(400)));
    },
  ),
  full(ratio(['search', '`search`, 1,000 sessions, 1 GB, no hit', '`grep -rF`', 2], search)),
  full(ratio(['status ls', '`ls`, running turn of 1 GB', SMALL, 1.1], statusOfRunning)),
  {
    ...{ name: 'ls -w', what: '`ls -w`, idle, 1,000 sessions and ten that run', against: null, atMost: 1 },
    ...{ unit: '% of a core', needs: 'script', measure: idleCpu(1000, 'ls', '-w') },
  },
  full(ratio(['status kill', '`kill`, running turn of 1 GB', SMALL, 1.1], kill)),
  full(ratio(['status wait', '`wait`, turn of 1 GB', SMALL, 1.1], wait)),
  full(ratio(['status inject', '`inject` after a turn of 1 GB', SMALL, 1.1], inject)),
  ...SCREENS,
  full(ratio(['logs last', '`logs -n 20`, turn of 1 GB', SMALL, 1.1], lastSteps)),
  {
    ...ratio(['show full', '`show --full` to a file, 100 MB', '`jq -c .`', 1], show('100 MB', '--full', jq)),
    needs: 'jq',
  },
  ratio(['show json 1 MB', '`show --json`, 1 MB', NODE, 2], show('1 MB', '--json', nothing)),
  {
    ...ratio(['show json 100 MB', '`show --json`, 100 MB', '`jq -c .`', 0.35], show('100 MB', '--json', jq)),
    needs: 'jq',
  },
  full(
    ratio(
      ['memory ls', 'peak memory of `ls --all`, 10,000 sessions', NODE, 2.5],
      memory(({ sessions }) => zwarm(sessions.many(10_000), 'ls', '--all')),
    ),
  ),
  full(
    ratio(
      ['memory search', 'peak memory of `search`, 1,000 sessions, 1 GB, no hit', NODE, 2.5],
      memory(({ sessions }) => zwarm(sessions.large(1000), 'search', 'quokka')),
    ),
  ),
  ratio(
    ['memory json 100 MB', 'peak memory of `show --json`, 100 MB', NODE, 2.5],
    memoryOfShow('100 MB', '--json'),
  ),
  full(
    ratio(
      ['memory json 1 GB', 'peak memory of `show --json`, 1 GB', NODE, 2.5],
      memoryOfShow('1 GB', '--json'),
    ),
  ),
  ratio(
    ['memory json line', 'peak memory of `show --json`, a line of 300 MB', NODE, 2.5],
    memoryOfShow('line of 300 MB', '--json'),
  ),
  ratio(
    ['memory full 10 MB', 'peak memory of `show --full`, 10 MB', NODE, 2.5],
    memoryOfShow('10 MB', '--full'),
  ),
  full(
    ratio(
      ['memory full 1 GB', 'peak memory of `show --full`, 1 GB', NODE, 2.5],
      memoryOfShow('1 GB', '--full'),
    ),
  ),
  ratio(
    ['memory full 100 MB', 'peak memory of `show --full`, 100 MB', NODE, 2.5],
    memoryOfShow('100 MB', '--full'),
  ),
  {
    name: 'logs',
    what: '`logs -f`, line written → line shown',
    against: null,
    atMost: 10,
    unit: 'ms',
    measure: follow,
  },
  {
    name: 'kill',
    what: '`kill` returns after the end',
    against: null,
    atMost: 50,
    unit: 'ms',
    measure: returns('kill'),
  },
  {
    name: 'wait',
    what: '`wait` returns after the end',
    against: null,
    atMost: 50,
    unit: 'ms',
    measure: returns('wait'),
  },
  {
    ...{ name: 'left shells', what: 'left behind per running session', against: null, atMost: 1 },
    ...{ unit: 'shell', measure: leftBehind((pids) => pids.length) },
  },
  {
    ...{ name: 'left memory', what: 'its private memory', against: null, atMost: 0.3 },
    ...{ unit: 'MB', needs: '/proc/self/smaps_rollup', measure: leftBehind(privateMb) },
  },
];
