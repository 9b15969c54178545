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

const NO_TURN: Reason = ['opencode would print that and do nothing', 'run it yourself: opencode run --help'];
const ELSEWHERE: Reason = ['the turn would run where zwarm does not see it', 'leave it out'];
const UNREADABLE: Reason = ['zwarm could not read what it prints', 'leave it out'];

/** Of `opencode run` 1.18.33, which refuses an option that it does not know, and one that is there twice. */
const GRAMMAR: Grammar = {
  program: 'opencode',
  short: {
    c: '--continue',
    f: '--file',
    h: '--help',
    i: '--interactive',
    m: '--model',
    p: '--password',
    s: '--session',
    u: '--username',
    v: '--version',
  },
  oneValue:
    '--agent --attach --command --dir --format --log-level --model --password --port --session --title --username ' +
    '--variant',
  manyValues: '--file',
  noValue: '--print-logs --pure --share',
  paths: { '--file': { is: 'file or directory' } },
  refused: {
    '--attach': ELSEWHERE,
    '--auto': STATED.full,
    '--continue': STATED.conversation,
    '--dangerously-skip-permissions': STATED.full,
    '--demo': UNREADABLE,
    '--dir': STATED.directory,
    '--fork': STATED.fork,
    '--format': UNREADABLE,
    '--help': NO_TURN,
    '--interactive': UNREADABLE,
    '--mini': UNREADABLE,
    '--model': STATED.model,
    '--session': STATED.conversation,
    '--thinking': STATED.passed,
    '--version': NO_TURN,
    '--yolo': STATED.full,
  },
};

/** The same arguments with other paths. @throws ZwarmError as `place` */
export const placeOpencodePaths = (args: readonly string[], place: PlacePath): readonly string[] =>
  placePaths(args, GRAMMAR, place);

/** What the user's arguments mean to `opencode run` 1.18.33, which remembers the files of a message. */
export function readOpencodeArguments(args: readonly string[]): UserArguments {
  const items = itemsOf(args, GRAMMAR);
  const isFile = ({ name }: Item): boolean => name === '--file';
  return {
    refused: firstRefusal(items, GRAMMAR),
    newThread: items.filter(isFile).flatMap(({ values }) => values.map((file) => `--file=${file}`)),
    everyTurn: items.filter((item) => !isFile(item)).flatMap(({ words }) => words),
    outsideOfGit: null,
  };
}
