import { expect } from 'vitest';
import { checkInvariants } from './invariants.ts';
import { arm, disarm, type Fault } from './plan.ts';
import { createScene } from './scene.ts';
import { type CountedVerb, LONG, VERBS } from './verbs.ts';

/** More calls than any verb makes: a loop that comes here has lost its end. */
const TOO_MANY = 300;

function verbOf(verbs: typeof VERBS, name: string): CountedVerb {
  const verb = verbs[name];
  if (verb === undefined) throw new Error(`no verb ${name}`);
  return verb;
}

async function oneCase(
  verb: CountedVerb,
  fault: Fault,
): Promise<{ over: boolean; violation: string | null }> {
  const scene = createScene();
  let story = `${fault.kind} at call ${fault.at}`;
  try {
    const id = await verb.prepare(scene);
    arm(fault);
    let acknowledged = true;
    try {
      await verb.act(scene, id);
    } catch (error) {
      acknowledged = false;
      story += `: ${error instanceof Error ? error.message : error}`;
    }
    const calls = disarm();
    if (calls.length < fault.at) return { over: true, violation: null };
    story += ` (${calls[fault.at - 1]})`;
    await checkInvariants(scene, verb, acknowledged);
    return { over: false, violation: null };
  } catch (error) {
    disarm();
    return { over: false, violation: `${story}\n${error instanceof Error ? error.message : error}` };
  } finally {
    await scene.end();
  }
}

/**
 * Lets call 1, 2, 3 … of a verb fail until it ends without coming so far: once, or where `onwards` from there on. Almost
 * every call comes before the agent begins, so that its length matters little: it is long where all later calls fail.
 */
export async function failAtEachCall(
  name: string,
  kind: Exclude<Fault['kind'], 'SIGKILL'>,
  onwards: (at: number) => boolean,
): Promise<void> {
  const violations: string[] = [];
  let at = 1;
  for (; at < TOO_MANY; at += 1) {
    const verb = verbOf(onwards(at) ? LONG : VERBS, name);
    const { over, violation } = await oneCase(verb, { kind, at, onwards: onwards(at) });
    if (violation !== null) violations.push(violation);
    if (over) break;
  }
  expect(violations).toEqual([]);
  expect(at, 'calls that were counted').toBeGreaterThan(5);
  expect(at).toBeLessThan(TOO_MANY);
}

/** The same with a command that is killed at call 1, 2, 3 …, by turns with a short and with a long turn. */
export async function killAtEachCall(name: string): Promise<void> {
  const violations: string[] = [];
  for (let at = 1; ; at += 1) {
    const verb = verbOf(at % 2 === 0 ? LONG : VERBS, name);
    const scene = createScene();
    try {
      const id = await verb.prepare(scene);
      const code = await scene.killedAt(at, verb.args(id), verb.env?.(id));
      if (code !== null) {
        expect(at, 'calls that were counted').toBeGreaterThan(5);
        break;
      }
      await checkInvariants(scene, verb, false);
    } catch (error) {
      violations.push(`at call ${at}: ${error instanceof Error ? error.message : error}`);
    } finally {
      await scene.end();
    }
  }
  expect(violations).toEqual([]);
}
