import { setTimeout as sleep } from 'node:timers/promises';
import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import { parseName, type SessionId } from '../../core/ids.ts';
import { nameOfKey, parseKey } from '../../core/rules/key.ts';
import { holderOf } from '../../store/names.ts';
import type { SessionRecord } from '../../store/records.ts';
import { callerOf } from '../access/caller.ts';
import { findByKey, findByName } from '../access/locate-session.ts';
import { type ManagerContext, openForReading } from '../context.ts';
import { readRecordOrDamaged } from '../session/current-turn.ts';
import { removedError } from '../session/damage.ts';
import type { StartedTurn } from './launch-turn.ts';
import { newRecord, type StartOptions } from './new-record.ts';

const LOOK_AGAIN_MS = 20;
const MOST_LOOKS = 250;

/**
 * What `find` finds; where that is nothing, what `make` makes. Where another command was first, as far as `isTaken` tells,
 * it looks again: whoever has the name is about to appear, or to give it up.
 */
async function findOrMake<Found>(
  find: () => Found | null,
  make: () => Promise<Found>,
  isTaken = () => true,
): Promise<Found> {
  for (let looks = 1; ; looks += 1) {
    const found = find();
    if (found !== null) return found;
    try {
      return await make();
    } catch (error) {
      if (toZwarmError(error).code !== 'name_taken' || !isTaken() || looks >= MOST_LOOKS) throw error;
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

/** What a start asks for, by the fields of the record that keep it. */
const ASKED = {
  task: ['task'],
  agent: ['agent'],
  model: ['model'],
  sandbox: ['sandbox'],
  workingDir: ['working_dir', 'work_in'],
  agentArgs: ['agent_args'],
  schema: ['schema'],
} as const satisfies Partial<Record<keyof StartOptions, readonly (keyof SessionRecord)[]>>;

/** Refuses a second start with a key that asks for something else than the first one. @throws ZwarmError `name_taken` */
async function requireSame(
  context: ManagerContext,
  id: SessionId,
  options: StartOptions,
): Promise<SessionRecord> {
  const store = openForReading(context, true);
  if (store === null) throw removedError(id);
  const first = await readRecordOrDamaged({ store, id });
  const { record } = await newRecord(context, store, options, true);
  for (const asked of Object.keys(ASKED) as (keyof typeof ASKED)[]) {
    const isSame = ASKED[asked].every(
      (field) => JSON.stringify(first[field]) === JSON.stringify(record[field]),
    );
    // A tree of its own is another directory than the one that was asked for.
    const isOfTree = asked === 'workingDir' && first.worktree !== null;
    if (isSame || isOfTree || options[asked] === undefined) continue;
    const what = `the key ${JSON.stringify(record.key)} has begun ${id}, with another ${ASKED[asked][0]}`;
    const hint = `choose another key, or go on with that session: zwarm inject ${id} "…"`;
    throw new ZwarmError('name_taken', what, hint);
  }
  return first;
}

/** A session that was started, or that was there already. */
export interface StartedSession extends StartedTurn {
  /** False for a session that an earlier start with the same key has begun. */
  readonly started: boolean;
  /** What the user should know of its directory, of where it is kept, and of what its agent can do. */
  readonly warnings: readonly string[];
  /** The tree that was made for it: where, and what is not in it. */
  readonly notes: readonly string[];
}

/** The session that this caller has begun with a key, as it is; else what `start` begins. @throws ZwarmError as that */
export async function startOnce(
  context: ManagerContext,
  key: string,
  options: StartOptions,
  start: () => Promise<StartedSession>,
): Promise<StartedSession> {
  const name = nameOfKey(callerOf(context).source, parseKey(key));
  const isTaken = (): boolean => {
    const store = openForReading(context);
    return store !== null && holderOf(store.root, name) !== null;
  };
  const find = (): SessionId | null => findByKey(context, key);
  const begun = await findOrMake<StartedSession | SessionId>(find, start, isTaken);
  if (typeof begun !== 'string') return begun;
  const { agent } = await requireSame(context, begun, options);
  const was = { turn: 1, agent, how: null, why: null, gone: [], pending: null };
  return { id: begun, ...was, started: false, warnings: [], notes: [] };
}

/** The session of a name, and whether it was started for it just now. */
export interface GotOrStarted {
  readonly id: SessionId;
  readonly started: boolean;
}

/** The session that has a name, as it is; else what `start` begins with that name. @throws ZwarmError as that */
export function getOrStart(
  context: ManagerContext,
  name: string,
  start: (name: string) => Promise<GotOrStarted>,
): Promise<GotOrStarted> {
  const parsed = parseName(name);
  const find = (): GotOrStarted | null => {
    const id = findByName(context, parsed);
    return id === null ? null : { id, started: false };
  };
  return findOrMake(find, () => start(parsed));
}
