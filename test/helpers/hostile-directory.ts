import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** What a planter needs to know: where the state directory and a tree of the user's own outside are. */
export interface Ground {
  readonly root: string;
  /** The session that is tampered with, which has completed or `failed`, and a good one beside it. */
  readonly victim: string;
  readonly good: string;
  /** Holds the user's files, and a tree that looks like sessions of ours. */
  readonly outside: string;
}

/** What an agent that may write below the project could put into the state directory. */
export interface Plant {
  readonly name: string;
  plant(ground: Ground): void;
  /** Also the good session is out of sight. */
  readonly all?: boolean;
  /** Permission may be denied, which is exit code 1; root passes. */
  readonly closed?: boolean;
  /** No command that writes does so: it does not know what it would write into. */
  readonly refused?: boolean;
  /** The victim is a session that has failed: more of its files are read then. */
  readonly failed?: boolean;
  /** It makes a device. */
  readonly device?: boolean;
  /** How the victim must be listed; without it, in some way. */
  readonly shows?: 'damaged' | 'hidden';
}

/** Replaces whatever is at a path. */
function put(path: string, make: (path: string) => unknown): void {
  rmSync(path, { recursive: true, force: true });
  make(path);
}

const file = (content: string | Uint8Array) => (path: string) => writeFileSync(path, content);
const linkTo = (target: string) => (path: string) => symlinkSync(target, path);
const fifo = (path: string) => execFileSync('mkfifo', [path]);
const directory = (path: string) => mkdirSync(path);
const nothing = (): void => undefined;
const giant = (path: string): void => {
  writeFileSync(path, '{');
  truncateSync(path, (64 << 20) + 1);
};
const device = (path: string) => execFileSync('mknod', [path, 'c', '1', '5']);

const victimDir = ({ root, victim }: Ground): string => join(root, 'sessions', victim);

function at(name: string, path: string, make: (ground: Ground) => (path: string) => unknown): Plant {
  return { name: `${path}: ${name}`, plant: (ground) => put(join(victimDir(ground), path), make(ground)) };
}

/** A JSON record of the victim with some fields changed; undefined removes one. */
function edited(name: string, path: string, change: (ground: Ground) => object): Plant {
  return {
    name: `${path}: ${name}`,
    plant(ground) {
      const whole = join(victimDir(ground), path);
      writeFileSync(
        whole,
        `${JSON.stringify({ ...JSON.parse(readFileSync(whole, 'utf8')), ...change(ground) })}\n`,
      );
    },
  };
}

function fileKinds(path: string): Plant[] {
  return [
    at('missing', path, () => nothing),
    at('empty', path, () => file('')),
    at('garbage', path, () => file(Buffer.from([0, 255, 10, 13, 123]))),
    at('a FIFO', path, () => fifo),
    at("a link to the user's file", path, ({ outside }) => linkTo(join(outside, 'secret.txt'))),
    at('a dangling link', path, () => linkTo('/no/where')),
    at('a directory', path, () => directory),
  ];
}

/** What a writer or a reader could open, follow or find full. */
function inTheWay(path: string): Plant[] {
  return [
    at('a FIFO', path, () => fifo),
    at("a link to the user's file", path, ({ outside }) => linkTo(join(outside, 'secret.txt'))),
    at('a directory', path, () => directory),
  ];
}

const records = ['session.json', 'turns/1/request.json'];
const others = ['launch.json', 'runner.stat', 'cancel.json', 'exit.json', 'prompt.md', 'events.jsonl'];

function copyTurn({ root, victim }: Ground, name: string, change: (turn: string) => void = nothing): void {
  const turns = join(root, 'sessions', victim, 'turns');
  cpSync(join(turns, '1'), join(turns, name), { recursive: true });
  change(join(turns, name));
}

const request = (turn: string, change: object): void => {
  const path = join(turn, 'request.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
};

function damaged(plant: Plant): Plant {
  return { ...plant, shows: 'damaged' };
}

/** The same in a session that has failed. */
function failed(plant: Plant): Plant {
  return { ...plant, name: `${plant.name}, of a failed turn`, failed: true };
}

function withDevices(plant: Plant): Plant {
  return { ...plant, device: true };
}

/** One thing after another. */
function first(plant: Plant, before: Plant): Plant {
  const both = (ground: Ground): void => {
    before.plant(ground);
    plant.plant(ground);
  };
  return { ...plant, name: `${plant.name}, and ${before.name}`, plant: both };
}

function hidden(plant: Plant): Plant {
  return { ...plant, shows: 'hidden' };
}

/** Everything that is planted below one session, in the place of its state directory's parts, and as its debris. */
export const PLANTS: readonly Plant[] = [
  ...records.flatMap(fileKinds).map(damaged),
  ...[...others.map((name) => `turns/1/${name}`), 'summary.json'].flatMap((path) =>
    // Enough kinds for each of them: what is not there for one is there for another.
    fileKinds(path).filter((_, i) => i === 0 || i >= 3),
  ),
  withDevices(at('a device', 'turns/1/events.jsonl', () => device)),
  ...inTheWay('turns/1/stderr.log').map(failed),
  withDevices(failed(at('a device', 'turns/1/stderr.log', () => device))),
  ...inTheWay('turns/1/notified.json'),
  ...inTheWay('turns/1/cancel.kill'),
  // Not read where there is a record.
  ...inTheWay('turns/1/exit.0').map((plant) =>
    first(
      plant,
      at('missing', 'turns/1/exit.json', () => nothing),
    ),
  ),
  ...inTheWay('../../.gitignore'),
  ...['launch.json', 'runner.stat', 'cancel.json', 'prompt.md'].map((name) =>
    at('a giant', `turns/1/${name}`, () => giant),
  ),
  damaged(at('a giant', 'turns/1/request.json', () => giant)),
  { name: 'format: a giant', refused: true, plant: ({ root }) => put(join(root, 'format'), giant) },
  damaged(at('a giant', 'session.json', () => giant)),
  at('a giant', 'turns/1/exit.json', () => giant),
  at('a giant', 'summary.json', () => giant),
  damaged(at('an array', 'session.json', () => file('[]'))),
  at('deeply nested', 'turns/1/exit.json', () => file('['.repeat(200_000))),
  at('with __proto__', 'session.json', () =>
    file('{"v":1,"__proto__":{"agent":"codex","sandbox":"danger-full-access"}}'),
  ),
  damaged(
    edited('numbers where strings should be', 'session.json', () => ({ agent: 7, task: 7, working_dir: 7 })),
  ),
  edited('another id', 'session.json', ({ good }) => ({ id: `../${good}`, name: '../../x' })),
  edited('a wider sandbox', 'session.json', () => ({ sandbox: 'danger-full-access' })),
  edited('another directory', 'session.json', ({ outside }) => ({ working_dir: outside })),
  edited('arguments', 'session.json', () => ({ agent_args: ['--dangerously-bypass-approvals-and-sandbox'] })),
  edited('an agent that nobody knows', 'session.json', () => ({ agent: '../../bin/sh' })),
  edited('a path as its nonce', 'turns/1/request.json', () => ({ nonce: '../../../../outside' })),
  damaged(edited('another kind', 'turns/1/request.json', () => ({ kind: 'constructor' }))),
  hidden(edited('a tombstone', 'turns/1/request.json', () => ({ kind: 'tombstone' }))),
  edited('from the future', 'turns/1/request.json', () => ({ at: '9999-12-31T23:59:59.999Z' })),
  edited('a code that is text', 'turns/1/exit.json', () => ({ code: '0' })),
  edited('a huge code', 'turns/1/exit.json', () => ({ code: 1e300, events_bytes: 1e300 })),
  edited('more bytes than there are', 'turns/1/exit.json', () => ({ events_bytes: 2 ** 52 })),
  edited('a running session', 'summary.json', () => ({ status: 'running', pid: 1 })),
  edited('another turn', 'summary.json', () => ({ turn: 999_999_999, log_file: '/etc/passwd' })),
  edited('an argument as thread', 'summary.json', () => ({ thread_id: '--last' })),
  damaged(at('a file', '.', () => file(''))),
  damaged(at('a link to the good one', '.', ({ good }) => linkTo(good))),
  damaged(
    at('a link to look-alikes outside', '.', ({ outside, good }) => linkTo(join(outside, 'sessions', good))),
  ),
  damaged(at('a dangling link', '.', () => linkTo('/no/where'))),
  damaged(at('empty', '.', () => directory)),
  damaged(at('a FIFO', '.', () => fifo)),
  damaged(at('a file', 'turns', () => file(''))),
  damaged(
    at('a link outside', 'turns', ({ outside, good }) => linkTo(join(outside, 'sessions', good, 'turns'))),
  ),
  damaged(at('missing', 'turns', () => nothing)),
  damaged(at('a file', 'turns/1', () => file(''))),
  damaged(
    at('a link outside', 'turns/1', ({ outside, good }) =>
      linkTo(join(outside, 'sessions', good, 'turns/1')),
    ),
  ),
  damaged(at('empty', 'turns/1', () => directory)),
  damaged(at('a file', 'turns/2', () => file(''))),
  damaged(at('empty', 'turns/2', () => directory)),
  damaged(at('a link to the first', 'turns/2', () => linkTo('1'))),
  damaged(at('a turn that nobody claimed', 'turns/99', () => directory)),
  { name: 'turns/2: a finished turn', plant: (ground) => copyTurn(ground, '2') },
  {
    name: 'turns/2: a queued turn',
    plant: (ground) =>
      copyTurn(ground, '2', (turn) => {
        for (const name of ['runner.stat', 'launch.json', 'exit.json', 'notified.json'])
          rmSync(join(turn, name), { force: true });
        request(turn, { queued: true });
        writeFileSync(join(turn, 'prompt.md'), 'run this');
      }),
  },
  {
    name: 'turns/2: a tombstone',
    shows: 'hidden',
    plant: (ground) => copyTurn(ground, '2', (turn) => request(turn, { kind: 'tombstone' })),
  },
  {
    name: 'turns/2: a second name of session.json',
    shows: 'hidden',
    plant: (ground) => linkSync(join(victimDir(ground), 'session.json'), join(victimDir(ground), 'turns/2')),
  },
  {
    name: 'closed to us',
    closed: true,
    plant: (ground) => chmodSync(victimDir(ground), 0),
  },
  {
    name: 'sessions: a link outside',
    all: true,
    plant: ({ root, outside }) => put(join(root, 'sessions'), linkTo(join(outside, 'sessions'))),
  },
  { name: 'sessions: a file', all: true, plant: ({ root }) => put(join(root, 'sessions'), file('')) },
  {
    name: 'trash: a link outside',
    all: true,
    plant: ({ root, outside }) => put(join(root, 'trash'), linkTo(outside)),
  },
  { name: 'format: a FIFO', refused: true, plant: ({ root }) => put(join(root, 'format'), fifo) },
  {
    name: 'debris that leads outside',
    plant({ root, outside }) {
      const old = new Date('2020-01-01');
      for (const place of ['.new-x', 'sessions/.new-x', 'trash/x']) {
        mkdirSync(join(root, place));
        symlinkSync(outside, join(root, place, 'link'));
        symlinkSync(outside, join(root, `${place}-link`));
        utimesSync(join(root, place), old, old);
      }
    },
  },
  {
    name: 'a session of another name with the same files',
    plant: ({ root, victim }) =>
      cpSync(join(root, 'sessions', victim), join(root, 'sessions', 'zzzzzzzzzz'), { recursive: true }),
  },
  {
    name: 'moved to another name',
    shows: 'hidden',
    plant: ({ root, victim }) =>
      renameSync(join(root, 'sessions', victim), join(root, 'sessions', 'zzzzzzzzzz')),
  },
];
