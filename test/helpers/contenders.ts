import { type ChildProcess, fork } from 'node:child_process';
import type { SessionSummary } from '../../src/core/session.ts';
import type { SessionManager } from '../../src/manager/session-manager.ts';
import { repositoryFile } from './project.ts';

/** Whose sessions: a directory, and the environment that verbs and agents get. */
export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What came of a verb: `ok` and its value, or the code of its error. `died`: its contender was killed first. */
export interface Outcome<T> {
  readonly code: string;
  readonly value: T | null;
  readonly message: string | null;
}

type Verb = {
  [V in keyof SessionManager]: SessionManager[V] extends (...args: never[]) => Promise<unknown> ? V : never;
}[keyof SessionManager];

/** A process that does a verb when it is told (contender.js). */
export type Contender = Awaited<ReturnType<typeof startContender>>;

/** What a loop has seen. */
export interface Seen {
  /** Everything that no reader may ever see. */
  readonly errors: readonly string[];
  /** Turns that were seen before their end, and then ended. */
  readonly ends: number;
}

/** How a session that was followed ended. */
type Followed = Seen & Pick<SessionSummary, 'status' | 'exit_code' | 'signal'>;

interface Answer {
  readonly seq?: number;
  readonly ready?: true;
  readonly code: string;
  readonly value?: unknown;
  readonly message?: string;
  readonly rounds: number;
  readonly errors?: readonly string[];
  readonly ends?: number;
}

const DIED: Answer = { code: 'died', rounds: 0, errors: ['the reader died'] };

/** Resolves with the next message that fits; with `DIED` when the contender ends before. */
function answerOf(child: ChildProcess, fits: (answer: Answer) => boolean): Promise<Answer> {
  return new Promise((resolve) => {
    const done = (answer: Answer): void => {
      child.off('message', look);
      child.off('exit', end);
      resolve(answer);
    };
    const look = (message: unknown): void => {
      if (fits(message as Answer)) done(message as Answer);
    };
    const end = (): void => done(DIED);
    if (child.exitCode !== null || child.signalCode !== null) return resolve(DIED);
    child.on('message', look).on('exit', end);
  });
}

/** Starts a contender with the library of a built zwarm, and waits until it has loaded it. */
export async function startContender(library: string) {
  const env = { PATH: process.env['PATH'] };
  const child = fork(repositoryFile('test/helpers/contender.js'), [library], { env, execArgv: [] });
  // Each call waits with listeners of its own.
  child.setMaxListeners(0);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // A death is told by what waits for the answer.
  const tell = (message: object): void => void child.send(message, () => undefined);
  let count = 0;
  const ask = async (question: object) => {
    count += 1;
    const seq = count;
    const answer = answerOf(child, (one) => one.seq === seq);
    tell({ seq, ...question });
    const { code, value, message } = await answer;
    // What comes over the wire is what was asked for.
    return { code, value: (value ?? null) as never, message: message ?? null };
  };
  const { ready } = await answerOf(child, (answer) => answer.ready === true);
  if (!ready || child.pid === undefined) throw new Error('a contender did not start');
  return {
    pid: child.pid,
    call: <V extends Verb>(
      place: Place,
      verb: V,
      ...args: Parameters<SessionManager[V]>
    ): Promise<Outcome<Awaited<ReturnType<SessionManager[V]>>>> => ask({ place, verb, args }),
    /** Starts a task, and shows its session until it has ended; with a gate for its agent, running first. */
    follow: (place: Place, task: string, gate: string | null): Promise<Outcome<Followed>> =>
      ask({ follow: place, task, gate }),
    /**
     * Begins to list and show everything, over and over. `late`: a runner may come when its turn counts as lost. `rest`:
     * how long to pause after each round, in times that it took.
     */
    watch(place: Place, { late = false, rest = 8 } = {}) {
      const last = answerOf(child, ({ errors }) => errors !== undefined);
      tell({ watch: place, late, rest });
      return {
        /** Resolves when `count` more rounds have been read to their ends. */
        async passed(count: number): Promise<void> {
          let read = 0;
          await answerOf(child, ({ rounds }) => {
            if (rounds > 0) read += 1;
            return read >= count;
          });
        },
        async stop(): Promise<Seen> {
          tell({ unwatch: true });
          const { errors = [], ends = 0 } = await last;
          return { errors, ends };
        },
      };
    },
    /** Kills it by SIGKILL; resolves when it is gone. */
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
