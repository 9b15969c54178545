import { expect, test } from 'vitest';
import { clean } from '../../../src/cli/commands/clean.ts';
import type { Verb } from '../../../src/cli/context.ts';
import { createShellProject } from '../../helpers/project.ts';

const ID = 'abcdefghjk';
const NOTHING = {
  removed: [],
  sessions: [],
  trashed: [],
  left: [],
  worktrees: [],
  bytes: 0,
  safe: [],
  saved_first: [],
  kept: [],
};

/** What `clean` shows when the manager has kept a session for that reason. Files that root cannot delete are rare. */
async function shownFor(reason: string, old_enough: boolean | null, json: boolean) {
  const warned: string[] = [];
  const codes: number[] = [];
  const skipped = [{ id: ID, reason, old_enough }];
  const verb = {
    context: { stdin: { isTTY: false } },
    manager: { clean: async () => ({ ...NOTHING, skipped }) },
    hint: () => undefined,
    warn: (text: string) => void warned.push(text),
    printJson: () => undefined,
    exit: (code: number) => void codes.push(code),
  } as unknown as Verb;
  await clean.run?.(verb, {} as never, { json } as never);
  return { codes, warned };
}

test.each([
  ['io', true],
  ['unknown', true],
  ['damaged', null],
] as const)(
  'clean fails where what is old enough could not be deleted or judged: %s',
  async (reason, old) => {
    const hint =
      reason === 'damaged'
        ? `to hear why: zwarm show ${ID}`
        : `to delete them, or hear why not: zwarm rm ${ID}`;
    const said = `could not be deleted or judged: ${ID} (${reason}); ${hint}`;
    expect(await shownFor(reason, old, false)).toEqual({ codes: [1], warned: [said] });
    expect(await shownFor(reason, old, true)).toEqual({ codes: [1], warned: [] });
  },
);

test.each([
  ['running', true],
  ['pending', true],
  ['not_found', true],
  ['unknown', false],
] as const)('what passes by itself, or is too young, is no failure: %s', async (reason, old) => {
  expect(await shownFor(reason, old, false)).toEqual({ codes: [], warned: [] });
});

test('clean counts what it deleted, and names what it kept only where there is something', async () => {
  const project = createShellProject();
  await project.ended();
  const hint = async (...words: string[]) => (await project.zwarm(['clean', ...words], { tty: true })).stderr;
  expect(await hint()).toBe('removed 0 sessions, 0 B\n');
  expect(await hint('--days', '0', '--dry-run')).toMatch(/^would remove 1 session, [\d.]+ \w+\n$/);
  const id = await project.begin('hang');
  expect(await hint('--days', '0', '--yes')).toMatch(
    new RegExp(`^removed 1 session, [\\d.]+ \\w+; kept ${id} \\(running\\)\n$`),
  );
});
