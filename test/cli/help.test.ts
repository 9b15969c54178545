import { expect, test } from 'vitest';
import type { VerbDefinition } from '../../src/cli/define-verb.ts';
import { VERBS } from '../../src/cli/verbs.ts';
import { onScreen } from '../helpers/context.ts';
import { createShellProject } from '../helpers/project.ts';

const nowhere = { directory: '/nowhere', env: {} };

/** A verb and what is below it, as they are typed. */
function linesOf({ name, subcommands = [] }: VerbDefinition): string[][] {
  return [[name], ...subcommands.flatMap(linesOf).map((line) => [name, ...line])];
}

const LINES = [[], ...VERBS.filter(({ hidden }) => !hidden).flatMap(linesOf)];

async function helpOf(words: readonly string[], columns: number): Promise<string> {
  const { code, stdout, stderr } = await onScreen(nowhere, [...words, '--help'], { columns });
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
  return stdout;
}

test('the help of a verb on a narrow terminal', async () => {
  expect(await helpOf(['rewind'], 40)).toMatchInlineSnapshot(`
    "Usage: zwarm rewind [options] <id>

    wind a conversation back to an earlier
    turn

    Arguments:
      id
          id, name, prefix of an id, or
          @last

    Options:
      --to <turn>
          the turn after which to continue;
          0 for the beginning
      -q, --quiet
          print only the id
      --json
          print the session as JSON
      -h, --help
          print help

    Global Options:
      -V, --version
          print the version
      --project <dir>
          work in the project of this
          directory
      --state-dir <dir>
          keep everything in this directory
          (also: ZWARM_DIR)

    What came after that turn is no longer
    part of the conversation: the agent will
    not know of it. Files stay as they are,
    including those that it changed. Turns
    keep their numbers. A rewind counts as a
    turn, and another rewind can undo it.

    Examples:
      $ zwarm rewind ab3 --to 2
          as it was right after turn 2
      $ zwarm rewind ab3 --to 0
          an empty conversation
      $ zwarm inject ab3 "another way: …"
    "
  `);
});

test.each([40, 80, 200])('at %i columns every line of prose fits', async (columns) => {
  for (const words of LINES) {
    const long = (await helpOf(words, columns)).split('\n').filter((line) => line.length > columns);
    // Command lines are for copying: they are not broken.
    expect(long.filter((line) => !/^(Usage:| {2}\$) /.test(line))).toEqual([]);
  }
});

test('one help is printed however it is asked for', async () => {
  const shown = (line: string) => onScreen(nowhere, line.split(' ').filter(Boolean));
  for (const line of ['help ls', 'ps -h', 'ls -n x -h'])
    expect(await shown(line)).toEqual(await shown('ls -h'));
  expect(await shown('')).toEqual(await shown('--help'));
});

test('verbs that people know by another name answer to it', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  for (const list of ['ls', 'list', 'ps']) expect(await project.$(`${list} -q`)).toBe(`${id}\n`);
  expect(await project.$(`stop ${id}`)).toBe(`${id} killed\n`);
});
