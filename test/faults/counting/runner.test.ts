import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ZwarmError } from '../../../src/core/errors.ts';
import { repositoryFile } from '../../helpers/project.ts';
import { checkInvariants } from './invariants.ts';
import { createScene } from './scene.ts';
import { type CountedVerb, endedSession, hasMessage } from './verbs.ts';

// The turn runner is a shell script: what is counted in it are its lines. A copy kills itself before each line where a
// statement may stand, so that new lines are covered as they are written.

const LINES = readFileSync(repositoryFile('bin/turn-runner.sh'), 'utf8').split('\n');

function parses(text: string): boolean {
  return spawnSync('/bin/sh', ['-n'], { input: text }).status === 0;
}

function withLine(at: number, line: string): string {
  return LINES.toSpliced(at, 0, line).join('\n');
}

/** The copies that kill themselves, by the line before which they do. */
const KILLED = LINES.flatMap((line, at) => {
  const continues = LINES[at - 1]?.endsWith('\\') === true || /^\s*(#|$)/.test(line) || at === 0;
  const text = withLine(at, 'kill -KILL $$');
  return continues || !parses(text) ? [] : [{ line: `${at + 1}: ${line.trim()}`, text }];
});

/** A turn, the first or the second of its session, with a changed runner. */
function verbOf(text: string, turn: 1 | 2, message: string): CountedVerb {
  return {
    prepare: async (scene) => (turn === 1 ? null : endedSession(scene)),
    async act(scene, id) {
      const manager = scene.withRunner(text);
      if (id === null) await manager.start({ task: message });
      else await manager.inject(id, message);
      return true;
    },
    args: () => [],
    done: hasMessage(turn, message),
  };
}

/** Has a turn run by a changed runner, then checks that nothing is lost, invented or run twice. */
async function runWith(text: string, turn: 1 | 2, message: string): Promise<void> {
  const scene = createScene();
  const verb = verbOf(text, turn, message);
  try {
    const id = await verb.prepare(scene);
    let acknowledged = true;
    try {
      await verb.act(scene, id);
    } catch (error) {
      if (!(error instanceof ZwarmError && error.code === 'io')) throw error;
      acknowledged = false;
    }
    await checkInvariants(scene, verb, id, acknowledged);
  } finally {
    await scene.end();
  }
}

// One that runs for long is killed: its runner dies before each line by which it would record that.
test.each([
  [1, 'quick task'],
  [2, 'hang message'],
] as const)('turn %s, %s, its runner killed before each of its lines', async (turn, message) => {
  const violations: string[] = [];
  const lines = KILLED.values();
  const lane = async (): Promise<void> => {
    for (const { line, text } of lines) {
      try {
        await runWith(text, turn, message);
      } catch (error) {
        violations.push(`before line ${line}\n${error instanceof Error ? error.message : error}`);
      }
    }
  };
  // Side by side: they mostly wait for their runners.
  await Promise.all([lane(), lane(), lane(), lane()]);
  expect(violations).toEqual([]);
  expect(KILLED.length).toBeGreaterThan(20);
});

test.each(['date', 'wc'])('a runner whose %s fails knows less, and says nothing else', async (helper) => {
  const call = new RegExp(`\\b${helper} -`, 'g');
  const text = LINES.map((line) =>
    /^\s*#/.test(line) ? line : line.replace(call, `/nonexistent/${helper} -`),
  );
  expect(text).not.toEqual(LINES);
  await runWith(text.join('\n'), 1, 'quick task');
});
