import { expect, test } from 'vitest';
import { readCodexArguments } from '../../../../src/agents/codex/arguments.ts';

const words = (text: string): string[] => (text === '' ? [] : text.split(' '));

test.each([
  '',
  '--skip-git-repo-check',
  // What follows an option that takes a value is no subcommand.
  '-c resume=1',
  '-p resume',
  '--add-dir fork --oss',
  '-presume --config=review',
  '-o last.txt --output-schema s.json --color never',
  // What a newer Codex may know is passed on, with what may be its value.
  '--something resume',
  '-x resume',
])('%j is passed on every turn', (typed) => {
  const passed = { refused: null, everyTurn: words(typed), firstTurn: [] };
  expect(readCodexArguments(words(typed))).toMatchObject(passed);
});

// Images, one or several: so written that nothing behind them is taken for another.
test.each([
  ['-i a.png', '--image=a.png', ''],
  ['-ia.png', '--image=a.png', ''],
  ['-i=a.png', '--image=a.png', ''],
  ['--image=a.png', '--image=a.png', ''],
  ['-i a.png b.png --oss', '--image=a.png --image=b.png', '--oss'],
  ['--image a.png --trust --image b.png', '--image=a.png --image=b.png', '--trust'],
  ['-i file -c x=1', '--image=file', '-c x=1'],
  ['--image resume fork', '--image=resume --image=fork', ''],
])('of %j the first turn gets %j, every turn %j', (typed, first, every) => {
  const passed = { refused: null, everyTurn: words(every), firstTurn: words(first) };
  expect(readCodexArguments(words(typed))).toMatchObject(passed);
});

const GO_ON = 'zwarm inject ID "…"';
const RUN = 'run it yourself: codex exec --help';
const TREE = 'make one for all of them: git worktree add ../TREE && zwarm start -C ../TREE "…"';
const FULL = 'zwarm start -s danger-full-access "…"';
const TASK = 'give the task to zwarm: zwarm start "…"';

// The refused word stands in brackets.
test.each([
  ['[resume]', GO_ON],
  ['-c x=1 [resume] ID', GO_ON],
  ['--oss [resume]', GO_ON],
  ['-ia.png [resume]', GO_ON],
  ['[--last]', GO_ON],
  ['[--all]', GO_ON],
  ['[fork] ID', 'zwarm fork ID "…"'],
  ['[review]', 'ask for one: zwarm start "review the last commit"'],
  ['[help]', RUN],
  ['[-h]', RUN],
  ['[--help]', RUN],
  ['[-V]', RUN],
  ['[--version]', RUN],
  ['[--worktree]', TREE],
  ['[--worktree=x]', TREE],
  ['[--ephemeral]', 'leave it out'],
  ['[--json]', 'leave it out'],
  ['[--experimental-json]', 'leave it out'],
  ['[-C] /tmp', 'zwarm start -C DIR "…"'],
  ['[--cd=/tmp]', 'zwarm start -C DIR "…"'],
  ['[-sread-only]', 'zwarm start -s MODE "…"'],
  ['[--sandbox] read-only', 'zwarm start -s MODE "…"'],
  ['[-m] x', 'zwarm start -m MODEL "…"'],
  ['[--model=x]', 'zwarm start -m MODEL "…"'],
  ['[--approve-for-me]', 'zwarm start -s workspace-write "…"'],
  ['[--dangerously-bypass-approvals-and-sandbox]', FULL],
  ['[--yolo]', FULL],
  // Words that would be the task, or make the next one a task.
  ['[hello]', TASK],
  ['[toString]', TASK],
  ['[]', TASK],
  ['[-]', TASK],
  ['[--]', TASK],
  // Without its value an option would take what zwarm passes next.
  ['[-c]', '--agent-arg=-c --agent-arg=VALUE'],
  ['[-p] --oss', '--agent-arg=-p --agent-arg=VALUE'],
  ['[-i]', '--agent-arg=-i --agent-arg=VALUE'],
])('%s is refused: %s', (typed, hint) => {
  const argument = typed.replace(/.*\[(.*)\].*/, '$1');
  const args = typed.replace(/[[\]]/g, '').split(' ');
  expect(readCodexArguments(args).refused).toMatchObject({ argument, hint });
});

test('only one argument makes Codex run outside of a git repository', () => {
  expect(readCodexArguments([]).needsRepository).toBe(true);
  expect(readCodexArguments(['-c', 'x=--skip-git-repo-check']).needsRepository).toBe(true);
  expect(readCodexArguments(['--trust', '--skip-git-repo-check']).needsRepository).toBe(false);
});
