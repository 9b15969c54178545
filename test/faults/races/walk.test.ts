import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import type { SessionSummary } from '../../../src/core/session.ts';
import type { Contender, Outcome, Place } from '../../helpers/contenders.ts';
import { besideAReader, codesOf, openPool, type Race } from './race.ts';

// Random walks of four users at once: FUZZ_SEED chooses others, FUZZ_RUNS how many; without them they are the same each
// time. Each user has sessions of their own, so that a few lines know how each of them stands, but for a turn that is
// about to end by itself.

const USERS = 4;
const STEPS = 60;
const WALKS = Number(process.env['FUZZ_RUNS'] || 2);
const pool = openPool(USERS);

/** How a turn ended: by itself, in the way that its message asked for, or because it was killed. */
type End = Pick<SessionSummary, 'status'> & Partial<Pick<SessionSummary, 'exit_code' | 'signal'>>;

const KILLED: End = { status: 'killed' };
const COMPLETED: End = { status: 'completed', exit_code: 0, signal: null };

/** The first words of messages, and how their turns end; null for one that runs until it is killed. */
const WORDS: Readonly<Record<string, End | null>> = {
  quick: COMPLETED,
  'nap 0.05': COMPLETED,
  break: { status: 'failed', exit_code: 1, signal: null },
  'exit 3': { status: 'failed', exit_code: 3, signal: null },
  die: { status: 'failed', exit_code: null, signal: 'SIGKILL' },
  hang: null,
};

interface Turn {
  readonly prompt: string;
  /** How it will end by itself. */
  readonly natural: End | null;
  /** How it ended; null when it runs, or may have ended by itself since. */
  end: End | null;
}

interface Session {
  readonly id: SessionId;
  readonly turns: Turn[];
  removed: boolean;
}

const newest = ({ turns }: Session): Turn => turns[turns.length - 1] as Turn;
const runs = ({ end, natural }: Turn): boolean => end === null && natural === null;
const mayEnd = ({ end, natural }: Turn): boolean => end === null && natural !== null;

/** Notes that the newest turn, which may have ended by itself, has. */
function ended(session: Session): void {
  newest(session).end ??= newest(session).natural;
}

/** A user: their sessions, and the process that acts for them. */
interface User {
  readonly sessions: Session[];
  readonly contender: Contender;
  readonly place: Place;
  /** A turn with a message that nobody else has sent. */
  turn(word: string): Turn;
}

function createUser({ place }: Race, k: number): User {
  let sent = 0;
  const turn = (word: string): Turn => {
    sent += 1;
    return { prompt: `${word}\nmessage ${sent} of user ${k}.`, natural: WORDS[word] ?? null, end: null };
  };
  return { sessions: [], contender: pool.contender(k), place, turn };
}

/** Checks the code of a verb: one while a turn runs, another when none does, either when it is about to end. */
function expectCode(outcome: Outcome<unknown>, session: Session, running: string, rest: string): void {
  const turn = newest(session);
  if (session.removed) codesOf([outcome], ['not_found']);
  else codesOf([outcome], runs(turn) ? [running] : mayEnd(turn) ? [running, rest] : [rest]);
}

/** Checks how a session is shown. */
function expectShown(shown: SessionSummary | undefined | null, session: Session): void {
  const { end, natural } = newest(session);
  const statuses = end === null ? ['running', natural?.status ?? 'running'] : [end.status];
  expect(shown).toMatchObject({ id: session.id, turn: session.turns.length, ...end });
  expect(statuses).toContain(shown?.status);
}

/** What a user may do with one of their sessions, removed ones included, and what must come of it. */
const ON_SESSION: Readonly<Record<string, (user: User, session: Session, word: string) => Promise<void>>> = {
  async inject({ contender, place, turn }, session, word) {
    const next = turn(word);
    const outcome = await contender.call(place, 'inject', session.id, next.prompt);
    expectCode(outcome, session, 'busy', 'ok');
    if (outcome.code !== 'ok') return;
    ended(session);
    session.turns.push(next);
    expect(outcome.value).toMatchObject({ id: session.id, turn: session.turns.length });
  },
  async kill({ contender, place }, session) {
    const outcome = await contender.call(place, 'kill', session.id, { graceMs: 2000 });
    expectCode(outcome, session, 'ok', 'not_running');
    if (outcome.code === 'ok') newest(session).end = KILLED;
    else ended(session);
  },
  async wait({ contender, place }, session) {
    if (!session.removed && runs(newest(session))) return;
    const outcome = await contender.call(place, 'wait', session.id);
    codesOf([outcome], session.removed ? ['not_found'] : ['ok']);
    ended(session);
    if (!session.removed) expect(outcome.value).toBe(newest(session).end?.status);
  },
  async show({ contender, place }, session) {
    const outcome = await contender.call(place, 'get', session.id);
    codesOf([outcome], session.removed ? ['not_found'] : ['ok']);
    if (session.removed) return;
    expectShown(outcome.value, session);
    expect(outcome.value?.turns).toMatchObject(
      session.turns.map(({ prompt, end }, i) => ({ turn: i + 1, prompt, ...end })),
    );
  },
  async remove({ contender, place }, session) {
    const outcome = await contender.call(place, 'remove', session.id);
    expectCode(outcome, session, 'busy', 'ok');
    if (outcome.code === 'ok') session.removed = true;
  },
  /** What a turn runner does last; lists read what it leaves. */
  async settle({ contender, place }, session) {
    const { id, turns, removed } = session;
    if (removed || [null, KILLED].includes(newest(session).end)) return;
    const env = { ...place.env, ZWARM_SESSION_ID: id, ZWARM_TURN: String(turns.length) };
    codesOf([await contender.call({ ...place, env }, 'settle')], ['ok']);
  },
};

/** The same without a session. */
const ALONE: Readonly<Record<string, (user: User, word: string) => Promise<void>>> = {
  async start({ sessions, contender, place, turn }, word) {
    const first = turn(word);
    const outcome = await contender.call(place, 'start', { task: first.prompt });
    codesOf([outcome], ['ok']);
    if (outcome.value) sessions.push({ id: outcome.value.id, turns: [first], removed: false });
  },
  async list({ sessions, contender, place }) {
    const outcome = await contender.call(place, 'list', { all: true });
    codesOf([outcome], ['ok']);
    for (const session of sessions) {
      const row = outcome.value?.find(({ id }) => id === session.id);
      if (session.removed) expect(row).toBeUndefined();
      else expectShown(row, session);
    }
  },
  async clean({ sessions, contender, place }) {
    const outcome = await contender.call(place, 'clean', { olderThanMs: 0, dryRun: true });
    codesOf([outcome], ['ok']);
    const { removed = [], skipped = [] } = outcome.value ?? {};
    for (const session of sessions) {
      const { id } = session;
      const reasons = skipped.filter((one) => one.id === id).map(({ reason }) => reason);
      const found = [...removed.filter((one) => one === id), ...reasons];
      const turn = newest(session);
      if (session.removed) expect(found).toEqual([]);
      else if (turn.end !== null) expect(found).toEqual([id]);
      else if (runs(turn)) expect(found).toEqual(['running']);
      // One that ends while this looks is in neither.
      else expect([[id], ['running'], []]).toContainEqual(found);
    }
  },
};

const VERBS = [...Object.keys(ALONE), ...Object.keys(ON_SESSION)];
/** How often each of them was done, in all walks. */
const done = new Map(VERBS.map((verb) => [verb, 0]));

const step = fc.tuple(
  fc.constantFrom(...VERBS, 'start', 'inject', 'settle'),
  fc.nat(7),
  fc.constantFrom(...Object.keys(WORDS)),
);

/** Does what a walk says, then lets every session come to its end: it is what its user made of it. */
async function walk(race: Race, k: number, steps: readonly [string, number, string][]): Promise<void> {
  const user = createUser(race, k);
  for (const [verb, index, word] of steps) {
    const session = user.sessions[index % user.sessions.length];
    if (session === undefined && !(verb in ALONE)) continue;
    done.set(verb, (done.get(verb) ?? 0) + 1);
    await (session && ON_SESSION[verb] ? ON_SESSION[verb](user, session, word) : ALONE[verb]?.(user, word));
  }
  for (const session of user.sessions.filter(({ removed }) => !removed))
    for (const verb of ['kill', 'wait', 'show']) await ON_SESSION[verb]?.(user, session, '');
  const ran = race.prompts();
  for (const { prompt, end } of user.sessions.flatMap(({ turns }) => turns)) {
    const count = ran.filter((text) => text === prompt).length;
    if (end?.status === 'killed') expect(count, prompt).toBeLessThanOrEqual(1);
    else expect(count, prompt).toBe(1);
  }
}

test('whatever four users do at once, each session is what its own user made of it', {
  timeout: 60_000 + WALKS * 60_000,
}, async () => {
  const steps = fc.array(step, { maxLength: STEPS, size: 'max' });
  await fc.assert(
    fc.asyncProperty(fc.tuple(...Array.from({ length: USERS }, () => steps)), (walks) =>
      besideAReader(pool, async (race) => {
        const ends = await Promise.allSettled(walks.map((one, k) => walk(race, k, one)));
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      }),
    ),
    // What real processes do cannot be repeated exactly: a shorter walk may fail by chance alone, or not at all.
    { seed: Number(process.env['FUZZ_SEED'] || 20_261_120), numRuns: WALKS, endOnFailure: true },
  );
  // A few walks of another seed may leave something out.
  if (process.env['FUZZ_SEED'] !== undefined) return;
  for (const [verb, count] of done) expect(count, verb).toBeGreaterThan(0);
  const all = [...done.values()].reduce((sum, count) => sum + count, 0);
  expect(all, 'what was done').toBeGreaterThanOrEqual(75 * WALKS);
});
