import type { PlacePath, UserArguments } from '../agent.ts';
import { firstRefusal, type Grammar, itemsOf, placePaths, type Reason, STATED } from '../options.ts';

const NO_TURN: Reason = ['claude would print that and do nothing', 'run it yourself: claude --help'];
const ELSEWHERE: Reason = ['the turn would run where zwarm does not see it', 'leave it out'];
const UNREADABLE: Reason = ['zwarm could not give it its message, or read what it prints', 'leave it out'];

/** Of `claude` 2.1.328; refused is what contradicts what zwarm passes, or leaves a session that cannot go on. */
const GRAMMAR: Grammar = {
  program: 'claude',
  short: {
    c: '--continue',
    d: '--debug',
    h: '--help',
    n: '--name',
    p: '--print',
    r: '--resume',
    v: '--version',
    w: '--worktree',
  },
  oneValue:
    '--agent --agents --append-subagent-system-prompt-file --append-system-prompt --append-system-prompt-file ' +
    '--autocompact --debug-file --effort --environment --fallback-model --json-schema --max-budget-usd --max-turns ' +
    '--model --name --permission-mode --permission-prompts --plugin-dir --plugin-dir-no-mcp --plugin-url ' +
    '--session-id --setting-sources --settings --system-prompt --system-prompt-file --system-prompt-snapshot',
  manyValues:
    '--add-dir --allowed-tools --allowedTools --betas --disallowed-tools --disallowedTools --file --mcp-config --tools',
  noValue:
    '--ax-screen-reader --bare --brief --disable-slash-commands --exclude-dynamic-system-prompt-sections ' +
    '--forward-subagent-text --include-hook-events --include-partial-messages --no-chrome --restricted --safe-mode ' +
    '--strict-mcp-config',
  paths: {
    '--add-dir': { is: 'directory' },
    '--agents': { is: 'file', orJson: true },
    '--append-subagent-system-prompt-file': { is: 'file' },
    '--append-system-prompt-file': { is: 'file' },
    '--debug-file': { is: 'new file' },
    '--mcp-config': { is: 'file', orJson: true },
    '--plugin-dir': { is: 'file or directory' },
    '--plugin-dir-no-mcp': { is: 'file or directory' },
    '--settings': { is: 'file', orJson: true },
    '--system-prompt-file': { is: 'file' },
  },
  refused: {
    '--allow-dangerously-skip-permissions': STATED.full,
    '--background': ELSEWHERE,
    '--bg': ELSEWHERE,
    '--cloud': ELSEWHERE,
    '--continue': STATED.conversation,
    '--dangerously-skip-permissions': STATED.full,
    '--desktop': ELSEWHERE,
    '--fork-session': STATED.fork,
    '--from-pr': STATED.conversation,
    '--help': NO_TURN,
    '--input-format': UNREADABLE,
    '--json-schema': STATED.schema,
    '--model': STATED.model,
    '--no-session-persistence': [
      'claude would forget the conversation, so that none could go on',
      'leave it out',
    ],
    '--output-format': UNREADABLE,
    '--permission-mode': STATED.sandbox,
    '--print': STATED.passed,
    '--remote-control': ELSEWHERE,
    '--replay-user-messages': UNREADABLE,
    '--resume': STATED.conversation,
    '--session-id': STATED.conversation,
    '--teleport': ELSEWHERE,
    '--tmux': STATED.tree,
    '--verbose': STATED.passed,
    '--version': NO_TURN,
    '--worktree': STATED.tree,
  },
};

/** The same arguments with other paths. @throws ZwarmError as `place` */
export const placeClaudePaths = (args: readonly string[], place: PlacePath): readonly string[] =>
  placePaths(args, GRAMMAR, place);

/** What the user's arguments mean to `claude` 2.1.328. */
export function readClaudeArguments(args: readonly string[]): UserArguments {
  const refused = firstRefusal(itemsOf(args, GRAMMAR), GRAMMAR);
  return { refused, newThread: [], everyTurn: args, outsideOfGit: null };
}
