import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ZwarmError } from '../../../src/core/errors.ts';
import { repositoryFile } from '../../helpers/project.ts';
import { checkInvariants } from './invariants.ts';
import { createScene } from './scene.ts';
import type { CountedVerb } from './verbs.ts';

/*
 * The turn runner is a shell script: what is counted in it are its lines. A copy kills itself before each line where a
 * statement may stand, so that new lines are covered as they are written.
 */

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

/** Starts a session with a changed runner, then checks that nothing is lost, invented or run twice. */
async function startWith(text: string, task: string): Promise<void> {
  const scene = createScene();
  const verb: CountedVerb = {
    prepare: async () => null,
    act: () => scene.withRunner(text).start({ task }),
    args: () => [],
    acknowledges: { turn: 1, prompt: task },
  };
  try {
    let acknowledged = true;
    try {
      await verb.act(scene, null);
    } catch (error) {
      if (!(error instanceof ZwarmError && error.code === 'io')) throw error;
      acknowledged = false;
    }
    await checkInvariants(scene, verb, acknowledged);
  } finally {
    await scene.end();
  }
}

test.each(['quick task', 'hang task'])('%s, its runner killed before each of its lines', async (task) => {
  const violations: string[] = [];
  for (const { line, text } of KILLED) {
    try {
      await startWith(text, task);
    } catch (error) {
      violations.push(`before line ${line}\n${error instanceof Error ? error.message : error}`);
    }
  }
  expect(violations).toEqual([]);
  expect(KILLED.length).toBeGreaterThan(20);
});

test.each(['date', 'wc'])('a runner whose %s fails knows less, and says nothing else', async (helper) => {
  const call = new RegExp(`\\b${helper} -`, 'g');
  const text = LINES.map((line) =>
    /^\s*#/.test(line) ? line : line.replace(call, `/nonexistent/${helper} -`),
  );
  expect(text).not.toEqual(LINES);
  await startWith(text.join('\n'), 'quick task');
});
