import { expect, test } from 'vitest';
import { readCodexArguments } from '../../../../src/agents/codex/arguments.ts';

const words = (text: string): string[] => (text === '' ? [] : text.split(' '));

test.each([
  ...['', '--skip-git-repo-check', '--add-dir fork --oss', '-presume --config=review'],
  // What follows an option that takes a value is no subcommand.
  ...['-c resume=1', '-p resume', '-o last.txt --color never'],
  // What a newer Codex may know is passed on, with what may be its value.
  ...['--something resume', '-x resume'],
])('%j is passed on every turn', (typed) => {
  const passed = { refused: null, everyTurn: words(typed), newThread: [] };
  expect(readCodexArguments(words(typed))).toMatchObject(passed);
});

// Images, one or several: so written that nothing behind them is taken for another.
test.each([
  ...['-i a.png', '-ia.png', '-i=a.png', '--image=a.png'].map(
    (typed) => [typed, '--image=a.png', ''] as const,
  ),
  ['-i a.png b.png --oss', '--image=a.png --image=b.png', '--oss'],
  ['--image a.png --trust --image b.png', '--image=a.png --image=b.png', '--trust'],
  ['-i file -c x=1', '--image=file', '-c x=1'],
  ['--image resume fork', '--image=resume --image=fork', ''],
] as const)('of %j the first turn gets %j, every turn %j', (typed, first, every) => {
  const passed = { refused: null, everyTurn: words(every), newThread: words(first) };
  expect(readCodexArguments(words(typed))).toMatchObject(passed);
});

const WITH_VALUE = [
  ...['--add-dir', '--color', '--config', '--cyber-access-program', '--disable', '--enable', '--image'],
  ...['--local-provider', '--output-last-message', '--profile', '--thread-source'],
];
const WITHOUT_VALUE = [
  ...['--dangerously-bypass-hook-trust', '--ignore-rules', '--ignore-user-config', '--oss'],
  ...['--skip-git-repo-check', '--strict-config', '--trust'],
];

// What to type instead, and what is refused: the word in brackets.
test.each([
  ['zwarm inject @last "…"', '[resume]', '-c x=1 [resume] ID', '--oss [resume]', '-ia.png [resume]'],
  ['zwarm inject @last "…"', '[--last]', '[--all]'],
  ['zwarm fork @last "…"', '[fork] ID'],
  ['ask for one: zwarm start "review the last commit"', '[review]'],
  ['run it yourself: codex exec --help', '[help]', '[-h]', '[--help]', '[-V]', '[--version]'],
  [
    'make one for all of them: git worktree add ../TREE && zwarm start -C ../TREE "…"',
    ...['[--worktree]', '[--worktree=x]'],
  ],
  ['leave it out', '[--ephemeral]', '[--json]', '[--experimental-json]'],
  ['zwarm start -C DIR "…"', '[-C] /tmp', '[--cd=/tmp]'],
  ['zwarm start -s MODE "…"', '[-sread-only]', '[--sandbox] read-only'],
  ['zwarm start -m MODEL "…"', '[-m] x', '[--model=x]'],
  ['zwarm start --schema FILE "…"', '[--output-schema] x', '[--output-schema=x]', '[--output-schema]'],
  ['zwarm start -s workspace-write "…"', '[--approve-for-me]'],
  ['zwarm start -s danger-full-access "…"', '[--dangerously-bypass-approvals-and-sandbox]', '[--yolo]'],
  // Words that would be the task, or make the next one a task.
  ['give the task to zwarm: zwarm start "…"', '[hello]', '[toString]', '[]', '[-]', '[--]'],
  ['give the task to zwarm: zwarm start "…"', ...WITHOUT_VALUE.map((option) => `${option} [hello]`)],
  ['give the task to zwarm: zwarm start "…"', '-pwide [hello]', '--profile=wide [hello]', '-p wide [hello]'],
  // Without its value an option would take what zwarm passes next.
  ...['-c', '-i', '-o', '-p', ...WITH_VALUE].map((option) => [
    `--agent-arg=${option} --agent-arg=VALUE`,
    `[${option}]`,
    `[${option}] --oss`,
  ]),
])('%s, instead of %s', (hint, ...refused) => {
  for (const typed of refused) {
    const argument = typed.replace(/.*\[(.*)\].*/, '$1');
    const args = typed.replace(/[[\]]/g, '').split(' ');
    expect(readCodexArguments(args).refused, typed).toMatchObject({ argument, hint });
  }
});

test('only one argument makes Codex run outside of a git repository', () => {
  expect(readCodexArguments([]).outsideOfGit).toBe('--skip-git-repo-check');
  expect(readCodexArguments(['-c', 'x=--skip-git-repo-check']).outsideOfGit).not.toBeNull();
  expect(readCodexArguments(['--trust', '--skip-git-repo-check']).outsideOfGit).toBeNull();
});
