import type { PlacePath, UserArguments } from '../agent.ts';
import {
  firstRefusal,
  type Grammar,
  type Item,
  itemsOf,
  placePaths,
  type Reason,
  STATED,
} from '../options.ts';

const NO_TURN: Reason = ['codex would print that and do nothing', 'run it yourself: codex exec --help'];

/** Of `codex exec` 0.169; refused is what contradicts what zwarm passes, or leaves a session that cannot go on. */
const GRAMMAR: Grammar = {
  program: 'codex',
  short: {
    c: '--config',
    C: '--cd',
    h: '--help',
    i: '--image',
    m: '--model',
    o: '--output-last-message',
    p: '--profile',
    s: '--sandbox',
    V: '--version',
  },
  oneValue:
    '--add-dir --cd --color --config --cyber-access-program --disable --enable --local-provider --model ' +
    '--output-last-message --output-schema --profile --sandbox --thread-source',
  manyValues: '--image',
  noValue:
    '--dangerously-bypass-hook-trust --ignore-rules --ignore-user-config --oss --skip-git-repo-check ' +
    '--strict-config --trust',
  paths: {
    '--add-dir': { is: 'directory' },
    '--image': { is: 'file', divider: ',' },
    '--output-last-message': { is: 'new file' },
  },
  refused: {
    '--all': STATED.conversation,
    '--approve-for-me': ['zwarm states the sandbox itself', 'zwarm start -s workspace-write "…"'],
    '--cd': STATED.directory,
    '--dangerously-bypass-approvals-and-sandbox': STATED.full,
    '--ephemeral': ['codex would forget the conversation, so that none could go on', 'leave it out'],
    '--experimental-json': STATED.passed,
    '--help': NO_TURN,
    '--json': STATED.passed,
    '--last': STATED.conversation,
    '--model': STATED.model,
    '--output-schema': STATED.schema,
    '--sandbox': STATED.sandbox,
    '--version': NO_TURN,
    '--worktree': STATED.tree,
    '--yolo': STATED.full,
    fork: STATED.fork,
    help: NO_TURN,
    resume: STATED.conversation,
    review: [
      'a review could not go on as a conversation',
      'ask for one: zwarm start "review the last commit"',
    ],
  },
};

/** The same arguments with other paths. @throws ZwarmError as `place` */
export const placeCodexPaths = (args: readonly string[], place: PlacePath): readonly string[] =>
  placePaths(args, GRAMMAR, place);

/** The options of a command line of Codex with their values, and its other words. */
export const codexItems = (args: readonly string[]): readonly Item[] => itemsOf(args, GRAMMAR);

const ANYWHERE = '--skip-git-repo-check';

/** What the user's arguments mean to `codex exec` 0.169, which remembers the images of the first turn. */
export function readCodexArguments(args: readonly string[]): UserArguments {
  const items = codexItems(args);
  const isImage = ({ name }: Item): boolean => name === '--image';
  return {
    refused: firstRefusal(items, GRAMMAR),
    newThread: items.filter(isImage).flatMap(({ values }) => values.map((file) => `--image=${file}`)),
    everyTurn: items.filter((item) => !isImage(item)).flatMap(({ words }) => words),
    outsideOfGit: items.some(({ name }) => name === ANYWHERE) ? null : ANYWHERE,
  };
}
