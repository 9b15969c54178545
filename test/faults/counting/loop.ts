import { expect, test } from 'vitest';
import { toZwarmError } from '../../../src/core/errors.ts';
import { checkInvariants } from './invariants.ts';
import { createScene, type Scene } from './scene.ts';
import { arm, disarm, type Fault } from './syscalls.ts';
import { type CountedVerb, LONG, namesIn, VERBS } from './verbs.ts';

/** More calls than any verb makes: a loop that comes here has lost its end. */
const TOO_MANY = 300;

/** A verb that was called with a fault. */
interface Case {
  /** The verb ended before the call that should go wrong. */
  readonly over: boolean;
  /** It has shown a turn: from there on it matters how long its agent runs. */
  readonly shown: boolean;
  /** Looks at what came of it, and removes everything; what was wrong, or null. */
  check(): Promise<string | null>;
}

/** Everything that an error says, with its causes. */
function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${wordsOf(error.cause)}` : '';
}

/** A verb that refuses says why: as what the operating system did, and in the words of what failed. */
function checkRefusal({ kind }: Fault, error: unknown): void {
  const words = wordsOf(error);
  expect(toZwarmError(error).code, words).toBe('io');
  expect(words).toMatch(new RegExp(`injected: (${kind}|EPERM) at call`));
}

/** The turns that can be seen. */
function turnsIn({ root }: Scene): string[] {
  const sessions = namesIn(root, 'sessions').filter((name) => !name.startsWith('.'));
  return sessions.flatMap((id) =>
    namesIn(root, 'sessions', id, 'turns').flatMap((name) => (name.startsWith('.') ? [] : `${id}/${name}`)),
  );
}

async function oneCase(verb: CountedVerb, fault: Fault): Promise<Case> {
  const scene = createScene();
  const id = await verb.prepare(scene);
  const before = turnsIn(scene).length;
  let acknowledged = false;
  let refusal: { readonly error: unknown } | null = null;
  arm(fault);
  try {
    acknowledged = await verb.act(scene, id);
  } catch (error) {
    refusal = { error };
  }
  const calls = disarm();
  const over = calls.length < fault.at;
  const shown = turnsIn(scene).length > before;
  const look = async (): Promise<void> => {
    if (over) expect(acknowledged, 'nothing has failed').toBe(true);
    if (refusal !== null) checkRefusal(fault, refusal.error);
    await checkInvariants(scene, verb, id, acknowledged);
  };
  const story = `${fault.kind} at call ${fault.at} (${calls[fault.at - 1] ?? 'none'}): ${wordsOf(refusal?.error)}`;
  return { over, shown, check: () => violationOf(scene, story, look) };
}

async function violationOf(scene: Scene, story: string, look: () => Promise<void>): Promise<string | null> {
  try {
    await look();
    return null;
  } catch (error) {
    return `${story}\n${error instanceof Error ? error.message : error}`;
  } finally {
    await scene.end();
  }
}

/**
 * Makes the cases of call 1, 2, 3 … until the verb ends without coming so far. From the call that shows a turn, its agent
 * is one that ends at once and one that does not.
 */
async function casesOf(
  name: string,
  make: (verb: CountedVerb, at: number) => Promise<Case>,
): Promise<Case[]> {
  const [short, long] = [VERBS[name], LONG[name]] as [CountedVerb, CountedVerb];
  const cases: Case[] = [];
  let at = 1;
  try {
    for (let over = false; !over && at < TOO_MANY; at += 1) {
      const one = await make(short, at);
      cases.push(one);
      if (one.shown && long !== short) cases.push(await make(long, at));
      over = one.over;
    }
  } catch (error) {
    // What they have left running would stay.
    await Promise.all(cases.map((one) => one.check()));
    throw error;
  }
  expect(at, 'calls that were counted').toBeGreaterThan(5);
  expect(at).toBeLessThan(TOO_MANY);
  return cases;
}

/** Looks at all cases at once: it is mostly waiting, and calls are no longer counted. */
async function checkAll(cases: readonly Case[]): Promise<void> {
  const violations = await Promise.all(cases.map((one) => one.check()));
  expect(violations.filter((violation) => violation !== null)).toEqual([]);
}

/** Which failures last: a full disk stays full, and a bad sector is one. */
const LASTS = { ENOSPC: true, EMFILE: true, EIO: false, EACCES: false };

/** The tests of one kind of failure: a file of its own for each, so that they run side by side. */
export function testErrors(kind: keyof typeof LASTS): void {
  const onwards = LASTS[kind];
  const name = `%s, ${kind} ${onwards ? 'from there on' : 'once'}: whichever call fails, the truth is told`;
  test.each(Object.keys(VERBS))(name, async (verb) =>
    checkAll(await casesOf(verb, (one, at) => oneCase(one, { kind, at, onwards }))),
  );
}

async function oneKilled(verb: CountedVerb, at: number): Promise<Case> {
  const scene = createScene();
  let code = null as number | null;
  let shown = false;
  const violation = await violationOf(scene, `killed at call ${at}`, async () => {
    const id = await verb.prepare(scene);
    const before = turnsIn(scene).length;
    code = await scene.killedAt(at, verb.args(id), verb.env?.(id));
    shown = turnsIn(scene).length > before;
    await checkInvariants(scene, verb, id, code !== null);
  });
  return { over: code !== null, shown, check: async () => violation };
}

/** Kills a command at each of its calls. What is left is looked at at once: it may not have come to rest. */
export async function killAtEachCall(name: string): Promise<void> {
  await checkAll(await casesOf(name, oneKilled));
}
