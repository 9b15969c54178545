import { expect, test } from 'vitest';
import { clean } from '../../../src/cli/commands/clean.ts';
import type { Verb } from '../../../src/cli/context.ts';
import { createShellProject } from '../../helpers/project.ts';

const ID = 'abcdefghjk';

/** What `clean` shows when the manager has kept a session for that reason. Files that root cannot delete are rare. */
async function shownFor(reason: string, json: boolean) {
  const written: string[] = [];
  const codes: number[] = [];
  const verb = {
    manager: { clean: async () => ({ removed: [], skipped: [{ id: ID, reason }], bytes: 0 }) },
    hint: () => undefined,
    warn: (text: string) => void written.push(text),
    printJson: () => undefined,
    exit: (code: number) => void codes.push(code),
  } as unknown as Verb;
  await clean.run?.(verb, {} as never, { json } as never);
  return { codes, warned: written };
}

test.each([true, false])('clean fails where files could not be deleted; with --json: %j', async (json) => {
  const { codes, warned } = await shownFor('io', json);
  expect(codes).toEqual([1]);
  expect(warned).toEqual(json ? [] : [`files could not be deleted, check their permissions: ${ID}`]);
});

test('what clean keeps on purpose is no failure', async () => {
  expect(await shownFor('damaged', false)).toEqual({ codes: [], warned: [] });
});

test('clean counts what it deleted, and names what it kept only where there is something', async () => {
  const project = createShellProject();
  await project.ended();
  const hint = async (...words: string[]) => (await project.zwarm(['clean', ...words], { tty: true })).stderr;
  expect(await hint()).toBe('removed 0 sessions, 0 B\n');
  expect(await hint('--days', '0', '--dry-run')).toMatch(/^would remove 1 session, [\d.]+ \w+\n$/);
  const id = await project.begin('hang');
  expect(await hint('--days', '0')).toMatch(
    new RegExp(`^removed 1 session, [\\d.]+ \\w+; kept ${id} \\(running\\)\n$`),
  );
});
