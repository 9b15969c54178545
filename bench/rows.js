// How each target is measured, by its name in targets.js.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ending,
  endSessions,
  eventually,
  launch,
  membersOf,
  startSession,
  untilItWatches,
} from './living.js';
import {
  firstByteMs,
  isInstalled,
  node,
  peakMb,
  repositoryFile,
  run,
  sendSignal,
  shell,
  wallMs,
  zwarm,
} from './place.js';
import { randomOf } from './random.js';
import { pairs, rounds } from './rounds.js';
import { createStore, LONG, storeOf } from './store.js';
import { messageLine } from './streams.js';

/** @typedef {import('./place.js').Command} Command */
/** @typedef {import('./corpora.js').Size} Size */

/**
 * What was measured: pairs of zwarm and its baseline, or values of zwarm alone; or nothing, and why.
 * @typedef {{ kind: 'pairs', unit: 'ms' | 'MB', pairs: readonly (readonly [a: number, b: number])[] }
 *   | { kind: 'values', values: readonly number[] }
 *   | { kind: 'left out', why: string }} Measured
 */

/**
 * Where, how long and on what to measure.
 * @typedef {object} Bench
 * @property {import('./place.js').Place} place
 * @property {import('./rounds.js').Effort} effort
 * @property {import('./corpora.js').Corpora} corpora
 */

/** @typedef {(bench: Bench) => Measured | Promise<Measured>} Row */

/** @type {(project: string) => Command} */
const nothing = (project) => node(project, '-e', '0');

/** @type {(bench: Bench, a: Command, b: Command) => Promise<Measured>} */
async function wall({ place, effort }, a, b) {
  const measured = await pairs(
    effort,
    () => wallMs(place, a),
    () => wallMs(place, b),
  );
  return { kind: 'pairs', unit: 'ms', pairs: measured };
}

/** @type {(bench: Bench, a: Command) => Promise<Measured>} */
async function peak({ place, effort }, a) {
  const measured = await pairs(
    effort,
    () => peakMb(place, a),
    () => peakMb(place, nothing(a.cwd)),
  );
  return { kind: 'pairs', unit: 'MB', pairs: measured };
}

/** How long a command that starts a session runs, whose agent is ended then. @type {(bench: Bench, project: string) => Promise<number>} */
async function startMs({ place }, project) {
  const session = await startSession(place, project);
  await session.end();
  return session.exitedMs;
}

/**
 * How long the next message to a session takes that has ended, and that has ended again then.
 * @type {(bench: Bench, conversation: import('./corpora.js').Conversation) => number}
 */
function injectMs({ place }, { project, id, next }) {
  const again = { ...place, env: { ...place.env, BENCH_STREAM: next } };
  const ms = wallMs(again, zwarm(project, 'inject', '-q', id, 'go on'));
  run(place, zwarm(project, 'wait', id));
  return ms;
}

/** @type {(count: number) => Row} */
const listAll = (count) => (bench) => {
  const project = bench.corpora.sessions(count);
  return wall(bench, zwarm(project, 'ls', '--all'), shell(storeOf(project), 'cat sessions/*/summary.json'));
};

/** @type {(size: Size) => Row} */
const status = (size) => async (bench) => {
  const small = await bench.corpora.running('1 MB');
  return wall(bench, zwarm(await bench.corpora.running(size), 'ls'), zwarm(small, 'ls'));
};

/** @type {(size: Size, ...options: string[]) => Row} */
const showBesideJq =
  (size, ...options) =>
  (bench) => {
    if (!isInstalled('jq')) return { kind: 'left out', why: 'jq is not installed' };
    const { project, events } = bench.corpora.long(size);
    const jq = { program: 'jq', args: ['-c', '.', events], cwd: project };
    return wall(bench, zwarm(project, 'show', LONG, ...options), jq);
  };

/** @type {(size: Size) => Row} */
const firstScreen = (size) => async (bench) => {
  if (!isInstalled('script')) return { kind: 'left out', why: 'script is not installed' };
  const { place, effort, corpora } = bench;
  const { project } = corpora.long(size);
  const measured = await pairs(
    effort,
    () => firstByteMs(place, zwarm(project, 'show', LONG)),
    () => firstByteMs(place, node(project, '-e', 'console.log(1)')),
  );
  return { kind: 'pairs', unit: 'ms', pairs: measured };
};

/** @type {(size: Size) => Row} */
const memoryOfShow = (size) => (bench) =>
  peak(bench, zwarm(bench.corpora.long(size).project, 'show', LONG, '--json'));

/** @type {(bench: Bench, name: string) => string} */
function emptyProject({ place }, name) {
  const project = place.directory(name);
  createStore(project);
  return project;
}

/** @type {(moment: 'begunMs' | 'exitedMs') => Row} */
const start = (moment) => async (bench) => {
  const { place, effort } = bench;
  const project = emptyProject(bench, 'start');
  const measured = await pairs(
    effort,
    async () => {
      const session = await startSession(place, project);
      await session.end();
      return session[moment];
    },
    async () => {
      const nohup = node(project, repositoryFile('bench/nohup.cjs'), place.agent, join(project, 'out'));
      const living = await launch(place, nohup);
      await ending(place, living.pid, living)();
      return living[moment];
    },
  );
  return { kind: 'pairs', unit: 'ms', pairs: measured };
};

const AT_ONCE = 100;

/** Task-spooler keeps its server and its jobs until they are ended. */
const SPOOL = `i=0; while [ $i -lt ${AT_ONCE} ]; do tsp -n sleep 86400; i=$((i + 1)); done`;
const UNSPOOL = `i=0; while [ $i -lt ${AT_ONCE} ]; do kill "$(tsp -p $i)"; i=$((i + 1)); done; tsp -K`;

/** @type {Row} */
async function manyStarts(bench) {
  const { place, effort } = bench;
  const script = [repositoryFile('bench/start-many.js'), repositoryFile('dist/index.js'), String(AT_ONCE)];
  const zwarms = () => {
    const project = emptyProject(bench, 'many');
    try {
      return wallMs(place, node(project, ...script));
    } finally {
      endSessions(project);
    }
  };
  if (!isInstalled('tsp')) return { kind: 'values', values: await rounds(effort, zwarms) };
  const spooler = { TS_SOCKET: join(place.base, 'tsp'), TS_SLOTS: String(AT_ONCE) };
  const withSpooler = { ...place, env: { ...place.env, ...spooler } };
  const measured = await pairs(effort, zwarms, () => {
    const ms = wallMs(withSpooler, shell(place.base, SPOOL));
    run(withSpooler, shell(place.base, UNSPOOL), 'ignore');
    return ms;
  });
  return { kind: 'pairs', unit: 'ms', pairs: measured };
}

const TOGETHER = 5;

/**
 * Of several sessions, as what one shell shares with others depends on there being others.
 * @type {(measure: (left: ReturnType<typeof membersOf>) => number) => Row}
 */
const leftBehind = (measure) => async (bench) => {
  if (process.platform !== 'linux') return { kind: 'left out', why: 'only Linux tells it' };
  const project = emptyProject(bench, 'left behind');
  const sessions = [];
  while (sessions.length < TOGETHER) sessions.push(await startSession(bench.place, project));
  const values = sessions.map(({ group, pid: agent }) =>
    measure(membersOf(group).filter(({ pid }) => pid !== agent)),
  );
  for (const session of sessions) await session.end();
  return { kind: 'values', values };
};

const LINES = 40;

/** @type {Row} */
async function followed(bench) {
  const { place } = bench;
  const project = emptyProject(bench, 'logs');
  const session = await startSession(place, project);
  const events = join(session.directory, 'events.jsonl');
  const { program, args, cwd } = zwarm(project, 'logs', '-f', session.id);
  const follower = spawn(program, args, { cwd, env: place.env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let shown = '';
    let wanted = '';
    let shownAt = 0;
    follower.stdout.on('data', (text) => {
      shown += text;
      if (shownAt === 0 && shown.includes(wanted)) shownAt = performance.now();
    });
    await untilItWatches(follower.pid ?? 0);
    const random = randomOf(4);
    const values = [];
    for (let i = 0; i < LINES; i += 1) {
      await sleep(20 + random() * 20);
      wanted = `line number ${i}.`;
      shownAt = 0;
      const from = performance.now();
      appendFileSync(events, messageLine(`item_${i}`, wanted));
      await eventually(`logs -f shows ${wanted}`, () => shownAt !== 0);
      values.push(shownAt - from);
    }
    return { kind: 'values', values };
  } finally {
    follower.kill('SIGKILL');
    await session.end();
  }
}

/**
 * How long after the end of an agent a command returns that has waited for it. `act` is called when the command is on
 * its way.
 * @type {(verb: 'kill' | 'wait', act: (command: number, agent: number) => void | Promise<void>) => Row}
 */
const returned = (verb, act) => async (bench) => {
  const { place, effort } = bench;
  const project = emptyProject(bench, verb);
  const values = await rounds(effort, async () => {
    const session = await startSession(place, project);
    const { program, args, cwd } = zwarm(project, verb, session.id);
    const command = spawn(program, args, { cwd, env: place.env, stdio: 'ignore' });
    const exited = once(command, 'exit').then(() => performance.now());
    await act(command.pid ?? 0, session.pid);
    const ms = (await exited) - (await session.gone);
    await session.end();
    return ms;
  });
  return { kind: 'values', values };
};

/** @type {Readonly<Record<string, Row>>} */
export const ROWS = {
  version: (bench) => wall(bench, zwarm(bench.place.base, '--version'), nothing(bench.place.base)),
  help: (bench) => wall(bench, zwarm(bench.place.base, '--help'), nothing(bench.place.base)),
  'ls 10': (bench) => {
    const project = bench.corpora.sessions(10);
    return wall(bench, zwarm(project, 'ls'), nothing(project));
  },
  'start exits': start('exitedMs'),
  'start runs': start('begunMs'),
  'ls 3000': listAll(3000),
  'ls 10000': listAll(10_000),
  'status 100 MB': status('100 MB'),
  'status 1 GB': status('1 GB'),
  'screen 1 kB': firstScreen('1 kB'),
  'screen 1 MB': firstScreen('1 MB'),
  'screen 100 MB': firstScreen('100 MB'),
  'screen 1 GB': firstScreen('1 GB'),
  'show full 100 MB': showBesideJq('100 MB', '--full'),
  'show json 1 MB': (bench) => {
    const { project } = bench.corpora.long('1 MB');
    return wall(bench, zwarm(project, 'show', LONG, '--json'), nothing(project));
  },
  'show json 100 MB': showBesideJq('100 MB', '--json'),
  'memory show 100 MB': memoryOfShow('100 MB'),
  'memory show 1 GB': memoryOfShow('1 GB'),
  'memory show line': memoryOfShow('line of 300 MB'),
  'memory ls 10000': (bench) => peak(bench, zwarm(bench.corpora.sessions(10_000), 'ls', '--all')),
  'left processes': leftBehind((left) => left.length),
  'left memory': leftBehind((left) => left.reduce((sum, { privateMb }) => sum + privateMb, 0)),
  '100 starts': manyStarts,
  logs: followed,
  kill: returned('kill', () => undefined),
  wait: returned('wait', async (command, agent) => {
    await untilItWatches(command);
    sendSignal(agent, 'SIGTERM');
  }),
  'growth start': async (bench) => {
    const many = bench.corpora.sessions(3000);
    const none = emptyProject(bench, 'none');
    const measured = await pairs(
      bench.effort,
      () => startMs(bench, many),
      () => startMs(bench, none),
    );
    return { kind: 'pairs', unit: 'ms', pairs: measured };
  },
  'growth inject': async (bench) => {
    const long = bench.corpora.conversation('100 MB');
    const short = bench.corpora.conversation('1 MB');
    const measured = await pairs(
      bench.effort,
      () => injectMs(bench, long),
      () => injectMs(bench, short),
    );
    return { kind: 'pairs', unit: 'ms', pairs: measured };
  },
};
