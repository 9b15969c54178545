import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import type { SessionSummary } from '../../../src/core/session.ts';
import type { Contender, Place } from '../../helpers/contenders.ts';
import { codesOf } from './race.ts';

/*
 * What a user may do, and what must come of it. A worker owns its sessions, so that a model of a few lines knows how
 * each of them stands, but for a turn that is about to end by itself.
 */

/** How a turn ended: by itself, in the way that its message asked for, or because it was killed. */
type End = Pick<SessionSummary, 'status'> & Partial<Pick<SessionSummary, 'exit_code' | 'signal'>>;

const KILLED: End = { status: 'killed' };

/** The first words of messages, and how their turns end; null for one that runs until it is killed. */
const WORDS: Readonly<Record<string, End | null>> = {
  quick: { status: 'completed', exit_code: 0, signal: null },
  'nap 0.05': { status: 'completed', exit_code: 0, signal: null },
  break: { status: 'failed', exit_code: 1, signal: null },
  'exit 3': { status: 'failed', exit_code: 3, signal: null },
  die: { status: 'failed', exit_code: null, signal: 'SIGKILL' },
  hang: null,
};

interface ModelTurn {
  readonly prompt: string;
  /** How it will end by itself. */
  readonly natural: End | null;
  /** How it ended; null when it runs, or may have ended by itself since. */
  end: End | null;
}

export interface ModelSession {
  readonly id: SessionId;
  readonly turns: ModelTurn[];
  removed: boolean;
}

/** The sessions of one worker. */
export interface Model {
  readonly sessions: ModelSession[];
}

/** A worker: the process that acts for it, and where. */
export interface Worker {
  readonly contender: Contender;
  readonly place: Place;
  /** A message that nobody else has sent. */
  message(word: string): string;
}

export type Command = fc.AsyncCommand<Model, Worker>;

const newest = ({ turns }: ModelSession): ModelTurn => turns[turns.length - 1] as ModelTurn;
const runs = ({ end, natural }: ModelTurn): boolean => end === null && natural === null;
const mayEnd = ({ end, natural }: ModelTurn): boolean => end === null && natural !== null;

const turnOf = (prompt: string): ModelTurn => {
  const natural = WORDS[prompt.split('\n')[0] ?? ''] ?? null;
  return { prompt, natural, end: null };
};

/** Notes that a turn, which may have ended by itself, has. */
function ended(turn: ModelTurn): void {
  turn.end ??= turn.natural;
}

/** What the newest turn may be shown as. */
function statusesOf(session: ModelSession): string[] {
  const { end, natural } = newest(session);
  if (end !== null) return [end.status];
  return natural === null ? ['running'] : ['running', natural.status];
}

/** The codes that a verb may end with: `running` while a turn runs, `rest` when none does, either when it may end. */
function codesFor(session: ModelSession, running: string, rest: string): string[] {
  const turn = newest(session);
  if (session.removed) return ['not_found'];
  return runs(turn) ? [running] : mayEnd(turn) ? [running, rest] : [rest];
}

/** A command on one of the worker's sessions, removed ones included. */
function onSession(
  name: string,
  index: number,
  fits: (session: ModelSession) => boolean,
  run: (session: ModelSession, worker: Worker) => Promise<void>,
): Command {
  const pick = ({ sessions }: Model): ModelSession | undefined => sessions[index % sessions.length];
  return {
    check: (model) => {
      const session = pick(model as Model);
      return session !== undefined && fits(session);
    },
    run: async (model, worker) => run(pick(model) as ModelSession, worker),
    toString: () => `${name}(${index})`,
  };
}

const always = (): boolean => true;

const start = (word: string): Command => ({
  check: always,
  async run({ sessions }, { contender, place, message }) {
    const prompt = message(word);
    const outcome = await contender.call(place, 'start', { task: prompt });
    codesOf([outcome], ['ok']);
    if (outcome.value) sessions.push({ id: outcome.value.id, turns: [turnOf(prompt)], removed: false });
  },
  toString: () => `start(${word})`,
});

const inject = (index: number, word: string): Command =>
  onSession(`inject ${word}`, index, always, async (session, { contender, place, message }) => {
    const prompt = message(word);
    const outcome = await contender.call(place, 'inject', session.id, prompt);
    codesOf([outcome], codesFor(session, 'busy', 'ok'));
    if (outcome.code !== 'ok') return;
    ended(newest(session));
    session.turns.push(turnOf(prompt));
    expect(outcome.value).toMatchObject({ id: session.id, turn: session.turns.length });
  });

/** Ends the newest turn of a session, also when a walk is over. */
export async function killOne(session: ModelSession, { contender, place }: Worker): Promise<void> {
  const outcome = await contender.call(place, 'kill', session.id, { graceMs: 2000 });
  codesOf([outcome], codesFor(session, 'ok', 'not_running'));
  if (outcome.code === 'ok') newest(session).end = KILLED;
  else ended(newest(session));
}

/** Waits until a session is at rest. */
export async function waitOne(session: ModelSession, { contender, place }: Worker): Promise<void> {
  const outcome = await contender.call(place, 'wait', session.id);
  codesOf([outcome], session.removed ? ['not_found'] : ['ok']);
  ended(newest(session));
  if (!session.removed) expect(outcome.value).toBe(newest(session).end?.status);
}

/** Shows a session; what is shown must be what the model knows. */
export async function showOne(session: ModelSession, { contender, place }: Worker): Promise<void> {
  const outcome = await contender.call(place, 'get', session.id);
  codesOf([outcome], session.removed ? ['not_found'] : ['ok']);
  if (session.removed) return;
  expect(outcome.value).toMatchObject({ id: session.id, turn: session.turns.length });
  expect(statusesOf(session)).toContain(outcome.value?.status);
  expect(outcome.value?.turns).toMatchObject(
    session.turns.map(({ prompt, end }, i) => ({ turn: i + 1, prompt, ...end })),
  );
}

const remove = (index: number): Command =>
  onSession('remove', index, always, async (session, { contender, place }) => {
    const outcome = await contender.call(place, 'remove', session.id);
    codesOf([outcome], codesFor(session, 'busy', 'ok'));
    if (outcome.code === 'ok') session.removed = true;
  });

/** What a turn runner does last; lists read what it leaves. */
const settle = (index: number): Command =>
  onSession(
    'settle',
    index,
    (session) => !session.removed && ![null, KILLED].includes(newest(session).end),
    async ({ id, turns }, { contender, place }) => {
      const env = { ...place.env, ZWARM_SESSION_ID: id, ZWARM_TURN: String(turns.length) };
      codesOf([await contender.call({ ...place, env }, 'settle')], ['ok']);
    },
  );

const list: Command = {
  check: always,
  async run({ sessions }, { contender, place }) {
    const outcome = await contender.call(place, 'list', { all: true });
    codesOf([outcome], ['ok']);
    for (const session of sessions) {
      const row = outcome.value?.find(({ id }) => id === session.id);
      if (session.removed) expect(row).toBeUndefined();
      else {
        expect(row).toMatchObject({ turn: session.turns.length, ...newest(session).end });
        expect(statusesOf(session)).toContain(row?.status);
      }
    }
  },
  toString: () => 'list',
};

const cleanDryRun: Command = {
  check: always,
  async run({ sessions }, { contender, place }) {
    const outcome = await contender.call(place, 'clean', { olderThanMs: 0, dryRun: true });
    codesOf([outcome], ['ok']);
    const { removed = [], skipped = [] } = outcome.value ?? {};
    for (const session of sessions) {
      const { id } = session;
      const found = [
        ...removed.filter((one) => one === id),
        ...skipped.flatMap((one) => (one.id === id ? [one.reason] : [])),
      ];
      const turn = newest(session);
      if (session.removed) expect(found).toEqual([]);
      else if (turn.end !== null) expect(found).toEqual([id]);
      else if (runs(turn)) expect(found).toEqual(['running']);
      // One that ends while this looks is in neither.
      else expect([[id], ['running'], []]).toContainEqual(found);
    }
  },
  toString: () => 'clean --dry-run',
};

const word = fc.constantFrom(...Object.keys(WORDS));
const index = fc.nat(7);

/** Walks of up to `length` commands. */
export const walk = (length: number): fc.Arbitrary<Iterable<Command>> =>
  fc.commands(
    [
      word.map(start),
      word.map(start),
      fc.tuple(index, word).map(([i, one]) => inject(i, one)),
      fc.tuple(index, word).map(([i, one]) => inject(i, one)),
      index.map((i) => onSession('kill', i, always, killOne)),
      index.map((i) => onSession('wait', i, (session) => session.removed || !runs(newest(session)), waitOne)),
      index.map((i) => onSession('show', i, always, showOne)),
      index.map(remove),
      index.map(settle),
      index.map(settle),
      fc.constant(list),
      fc.constant(cleanDryRun),
    ],
    { maxCommands: length, size: 'max' },
  );
