import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { toZwarmError } from '../../../src/core/errors.ts';
import type { SessionId } from '../../../src/core/ids.ts';
import type { SessionDetail, SessionSummary } from '../../../src/core/session.ts';
import { eventually } from '../../helpers/project.ts';
import { notPrivate } from '../../helpers/tree.ts';
import type { Scene } from './scene.ts';
import { type CountedVerb, lives, namesIn } from './verbs.ts';

// What holds after every fault: I1 to I10 of the plan in docs/reliability.md.

/** What a short turn of the shell agent prints, byte for byte. */
const ANSWER = [
  '{"type":"thread.started","thread_id":"01a1f880-c978-76c0-be58-213b143ff767"}',
  '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"done"}}',
  '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5,"reasoning_output_tokens":0}}',
  '',
].join('\n');

const FINAL = new Set(['completed', 'failed', 'killed', 'lost']);

/** I5: running if and only if something runs; looked at until both agree, since an end comes when it comes. */
async function agreesWithTheKernel(scene: Scene, id: string): Promise<SessionDetail> {
  let seen = '';
  try {
    return await eventually('its status is true', async () => {
      const detail = await scene.manager.get(id);
      const { status, turn } = detail;
      const alive = lives(id, turn);
      seen = `${status}, and its processes are ${alive ? 'alive' : 'gone'}`;
      const agrees = status === 'pending' || (alive ? status === 'running' : FINAL.has(status));
      return agrees && detail;
    });
  } catch (error) {
    throw new Error(`I5: ${id} is ${seen}`, { cause: error });
  }
}

function checkTurns(scene: Scene, session: SessionDetail): void {
  const prompts = scene.prompts();
  for (const { turn, prompt, status, exit_code, log_file } of session.turns) {
    const runs = prompts.filter((text) => text === prompt).length;
    expect(runs, `I3: turn ${turn} ran at most once`).toBeLessThanOrEqual(1);
    if (exit_code !== null) expect(runs, `I3: turn ${turn} has an exit code`).toBe(1);
    expect(prompt, `I2: turn ${turn} has its whole prompt`).toMatch(
      /^(quick|hang) (task|message|first|next \w{10})$/,
    );
    if (!FINAL.has(status)) continue;
    const said = readFileSync(log_file, 'utf8');
    // Whatever ended it, nothing was added, and nothing of the beginning is gone.
    if (status !== 'completed') expect(ANSWER.startsWith(said), `I4: turn ${turn} says ${said}`).toBe(true);
    else {
      // The runner may have been killed before it could tell.
      expect([0, null], 'I6').toContain(exit_code);
      expect(said, 'I4').toBe(ANSWER);
    }
  }
}

async function codeOf(act: Promise<unknown>): Promise<string> {
  try {
    await act;
    return 'ok';
  } catch (error) {
    const { code, message } = toZwarmError(error);
    return code === 'io' ? `io: ${message}` : code;
  }
}

/** I7: a list at any moment, with no session that cannot be read. */
async function listed({ manager }: Scene): Promise<SessionSummary[]> {
  const rows = await manager.list({ all: true });
  expect(rows.filter((row) => row.status === 'damaged').map((row) => row.error?.message)).toEqual([]);
  return rows;
}

/**
 * Checks I1 to I10 after a verb, whatever came of it, then that the next inject, kill and clean work (I8, I9).
 * `acknowledged`: the verb said that it was done, with the session `id` that was prepared for it.
 */
export async function checkInvariants(
  scene: Scene,
  { done }: CountedVerb,
  id: SessionId | null,
  acknowledged: boolean,
): Promise<void> {
  const { manager, later, root, state } = scene;
  if (acknowledged) await done(scene, id);
  const rows = await listed(scene);
  if (rows.length > 0) expect(notPrivate(state), 'I10: modes').toEqual([]);
  for (const { id } of rows) {
    const detail = await agreesWithTheKernel(scene, id);
    checkTurns(scene, detail);
    const { status, turn } = detail;
    if (!FINAL.has(status)) {
      const killed = await codeOf(manager.kill(id, { graceMs: 2000 }));
      expect(['ok', 'not_running'], `I8: kill of a session that is ${status}`).toContain(killed);
      if (killed === 'ok') expect(lives(id, turn), 'I9: after kill nothing lives').toBe(false);
    }
    const injected = await codeOf(manager.inject(id, `quick next ${id}`));
    expect(injected, `I8: inject into a session that was ${status}`).toBe('ok');
    expect(await manager.wait(id), 'I8').toBe('completed');
    checkTurns(scene, await manager.get(id));
  }
  const { skipped } = await later.clean({ olderThanMs: 0, dryRun: false });
  expect(skipped, 'I8: clean').toEqual([]);
  for (const name of ['sessions', 'trash', 'writers'])
    expect(namesIn(root, name), `I8: ${name} is empty`).toEqual([]);
  // Without a window, as where making it failed, the user was told so.
  const parts = ['format', 'names', 'project.json', 'sessions', 'trash', 'writers', 'window-told'];
  expect(
    namesIn(root).filter((name) => !parts.includes(name)),
    'I8: no debris',
  ).toEqual([]);
  expect(scene.strangers(), "I10: what is not zwarm's").toEqual(scene.strangersAtFirst);
}
