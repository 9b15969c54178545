import { expect, test } from 'vitest';
import { createCodexParser } from '../../../../src/agents/codex/translate.ts';

const NOT_BUILT =
  'error building bubblewrap command: app-server socket directory must be a user-owned directory';

/** Why a command never began that failed with this output. */
function refused(output: string, { status = 'failed', command = 'ls' } = {}): unknown {
  const item = { id: 'i', type: 'command_execution', command, exit_code: 1, status };
  const text = JSON.stringify({ type: 'item.completed', item: { ...item, aggregated_output: output } });
  return createCodexParser('0.169.0')({ seq: 0, text }).map((event) => 'refused' in event && event.refused);
}

test.each([NOT_BUILT, `${NOT_BUILT}\n`, 'bwrap: Creating new namespace failed: … (ENOSPC)\n'])(
  'a command that failed with nothing but why there is no sandbox never began: %s',
  (output) => expect(refused(output)).toEqual([expect.stringContaining(`(${output.trim()})`)]),
);

test.each(['', 'ls: bwrap: No such file\n', `${NOT_BUILT}\nand more\n`, `before\n${NOT_BUILT}\n`])(
  'any other may have run: %j',
  (output) => expect(refused(output)).toEqual([false]),
);

test.each([{ status: 'completed' }, { command: '/bin/bash -lc "bwrap --x"' }])(
  'so may one with %j',
  (given) => expect(refused('bwrap: Unknown option --x\n', given)).toEqual([false]),
);
