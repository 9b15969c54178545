import { expect, test } from 'vitest';
import { requireAgent } from '../../../src/agents/registry.ts';

// What of the arguments is a path, and what has to be there: `<what>path`.
test.each([
  ['codex', '-i a.png b.png', '-i <file>a.png <file>b.png'],
  ['codex', '-ia.png --oss', '--image=<file>a.png --oss'],
  ['codex', '--image=a,b.png -c image=x', '--image=<file>a,<file>b.png -c image=x'],
  ['codex', '--add-dir lib -o=last.txt', '--add-dir <directory>lib --output-last-message=<new file>last.txt'],
  ['codex', '-p wide --color never --new a.png', '-p wide --color never --new a.png'],
  ['claude', '--add-dir a b --verbose-mode', '--add-dir <directory>a <directory>b --verbose-mode'],
  [
    'claude',
    '--settings {"a":"b"} --mcp-config {} m.json',
    '--settings {"a":"b"} --mcp-config {} <file>m.json',
  ],
  ['claude', '--settings=s.json --agents a.json', '--settings=<file>s.json --agents <file>a.json'],
  [
    'claude',
    '--plugin-dir=p.zip --debug-file log',
    '--plugin-dir=<file or directory>p.zip --debug-file <new file>log',
  ],
  [
    'claude',
    '--append-system-prompt text --append-system-prompt-file t.md --system-prompt-file s.md',
    '--append-system-prompt text --append-system-prompt-file <file>t.md --system-prompt-file <file>s.md',
  ],
  // Names of a file that it downloads.
  ['claude', '--file id:a.txt', '--file id:a.txt'],
  ['opencode', '-f a b --title x', '-f <file or directory>a <file or directory>b --title x'],
  ['demo', '--image a.png', '--image a.png'],
])('of %s the paths in %j are known', (agent, typed, placed) => {
  const { placePaths, readArguments } = requireAgent(agent);
  const args = typed.split(' ');
  expect(readArguments(args).refused).toBeNull();
  expect(placePaths(args, ({ is, path }) => `<${is}>${path}`).join(' ')).toBe(placed);
});
