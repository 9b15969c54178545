import { expect, test } from 'vitest';
import { readCodexArguments } from '../../../../src/agents/codex/arguments.ts';

// As they are typed, each `--agent-arg` a word | of every turn | of the first one.
test.each([
  ['', '', ''],
  ['--skip-git-repo-check', '--skip-git-repo-check', ''],
  // What follows an option that takes a value is no subcommand.
  ['-c resume=1', '-c resume=1', ''],
  ['-p resume', '-p resume', ''],
  ['--add-dir fork --oss', '--add-dir fork --oss', ''],
  ['-presume --config=review', '-presume --config=review', ''],
  [
    '-o last.txt --output-schema s.json --color never',
    '-o last.txt --output-schema s.json --color never',
    '',
  ],
  // What a newer Codex may know is passed on, with what may be its value.
  ['--something resume', '--something resume', ''],
  ['-x resume', '-x resume', ''],
  // Images, one or several: so written that nothing behind them is taken for another.
  ['-i a.png', '', '--image=a.png'],
  ['-ia.png', '', '--image=a.png'],
  ['-i=a.png', '', '--image=a.png'],
  ['--image=a.png', '', '--image=a.png'],
  ['-i a.png b.png --oss', '--oss', '--image=a.png --image=b.png'],
  ['--image a.png --trust --image b.png', '--trust', '--image=a.png --image=b.png'],
  ['-i file -c x=1', '-c x=1', '--image=file'],
  ['--image resume fork', '', '--image=resume --image=fork'],
])('%s', (typed, everyTurn, firstTurn) => {
  const words = (text: string): string[] => (text === '' ? [] : text.split(' '));
  expect(readCodexArguments(words(typed))).toMatchObject({
    refused: null,
    everyTurn: words(everyTurn),
    firstTurn: words(firstTurn),
  });
});

test.each([
  [['resume'], 'resume', 'zwarm inject ID "…"'],
  [['-c', 'x=1', 'resume', 'ID'], 'resume', 'zwarm inject ID "…"'],
  [['--oss', 'resume'], 'resume', 'zwarm inject ID "…"'],
  [['-ia.png', 'resume'], 'resume', 'zwarm inject ID "…"'],
  [['--last'], '--last', 'zwarm inject ID "…"'],
  [['--all'], '--all', 'zwarm inject ID "…"'],
  [['fork', 'ID'], 'fork', 'zwarm fork ID "…"'],
  [['review'], 'review', 'ask for one: zwarm start "review the last commit"'],
  [['help'], 'help', 'run it yourself: codex exec --help'],
  [['-h'], '-h', 'run it yourself: codex exec --help'],
  [['--help'], '--help', 'run it yourself: codex exec --help'],
  [['-V'], '-V', 'run it yourself: codex exec --help'],
  [['--version'], '--version', 'run it yourself: codex exec --help'],
  [
    ['--worktree'],
    '--worktree',
    'make one for all of them: git worktree add ../TREE && zwarm start -C ../TREE "…"',
  ],
  [
    ['--worktree=x'],
    '--worktree=x',
    'make one for all of them: git worktree add ../TREE && zwarm start -C ../TREE "…"',
  ],
  [['--ephemeral'], '--ephemeral', 'leave it out'],
  [['--json'], '--json', 'leave it out'],
  [['--experimental-json'], '--experimental-json', 'leave it out'],
  [['-C', '/tmp'], '-C', 'zwarm start -C DIR "…"'],
  [['--cd=/tmp'], '--cd=/tmp', 'zwarm start -C DIR "…"'],
  [['-sread-only'], '-sread-only', 'zwarm start -s MODE "…"'],
  [['--sandbox', 'read-only'], '--sandbox', 'zwarm start -s MODE "…"'],
  [['-m', 'x'], '-m', 'zwarm start -m MODEL "…"'],
  [['--model=x'], '--model=x', 'zwarm start -m MODEL "…"'],
  [['--approve-for-me'], '--approve-for-me', 'zwarm start -s workspace-write "…"'],
  [
    ['--dangerously-bypass-approvals-and-sandbox'],
    '--dangerously-bypass-approvals-and-sandbox',
    'zwarm start -s danger-full-access "…"',
  ],
  [['--yolo'], '--yolo', 'zwarm start -s danger-full-access "…"'],
  // Words that would be the task, or make the next one a task.
  [['hello'], 'hello', 'give the task to zwarm: zwarm start "…"'],
  [['toString'], 'toString', 'give the task to zwarm: zwarm start "…"'],
  [[''], '', 'give the task to zwarm: zwarm start "…"'],
  [['-'], '-', 'give the task to zwarm: zwarm start "…"'],
  [['--'], '--', 'give the task to zwarm: zwarm start "…"'],
  // Without its value an option would take what zwarm passes next.
  [['-c'], '-c', '--agent-arg=-c --agent-arg=VALUE'],
  [['-p', '--oss'], '-p', '--agent-arg=-p --agent-arg=VALUE'],
  [['-i'], '-i', '--agent-arg=-i --agent-arg=VALUE'],
] as const)('%j is refused', (args, argument, hint) => {
  expect(readCodexArguments(args).refused).toMatchObject({ argument, hint });
});

test('only one argument makes Codex run outside of a git repository', () => {
  expect(readCodexArguments([]).needsRepository).toBe(true);
  expect(readCodexArguments(['-c', 'x=--skip-git-repo-check']).needsRepository).toBe(true);
  expect(readCodexArguments(['--trust', '--skip-git-repo-check']).needsRepository).toBe(false);
});
