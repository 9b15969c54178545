import type { UserArguments } from '../agent.ts';

const SHORT: Readonly<Record<string, string>> = {
  c: '--config',
  C: '--cd',
  h: '--help',
  i: '--image',
  m: '--model',
  o: '--output-last-message',
  p: '--profile',
  s: '--sandbox',
  V: '--version',
};

// Of `codex exec` 0.169. What is in neither list may take a value or not: the next word is given the benefit of the doubt.
const WITH_VALUE =
  '--add-dir --cd --color --config --cyber-access-program --disable --enable --image --local-provider --model ' +
  '--output-last-message --output-schema --profile --sandbox --thread-source';
const WITHOUT_VALUE =
  '--dangerously-bypass-hook-trust --ignore-rules --ignore-user-config --oss --skip-git-repo-check ' +
  '--strict-config --trust';
const takesValue = new Set(WITH_VALUE.split(' '));
const takesNoValue = new Set(WITHOUT_VALUE.split(' '));

/** Why an argument cannot be passed on, and what to type instead. */
type Reason = readonly [why: string, hint: string];

const GO_ON: Reason = ['zwarm itself says which conversation goes on', 'zwarm inject ID "…"'];
const PASSED: Reason = ['zwarm passes it itself', 'leave it out'];
const NO_TURN: Reason = ['codex would print that and do nothing', 'run it yourself: codex exec --help'];
const sandbox = (mode: string): Reason => ['zwarm states the sandbox itself', `zwarm start -s ${mode} "…"`];

/** What contradicts what zwarm passes, or leaves a session that cannot go on. */
const REFUSALS: Readonly<Record<string, Reason>> = {
  '--all': GO_ON,
  '--approve-for-me': sandbox('workspace-write'),
  '--cd': ['zwarm states the directory itself', 'zwarm start -C DIR "…"'],
  '--dangerously-bypass-approvals-and-sandbox': sandbox('danger-full-access'),
  '--ephemeral': ['codex would forget the conversation, so that none could go on', 'leave it out'],
  '--experimental-json': PASSED,
  '--help': NO_TURN,
  '--json': PASSED,
  '--last': GO_ON,
  '--model': ['zwarm states the model itself', 'zwarm start -m MODEL "…"'],
  '--sandbox': sandbox('MODE'),
  '--version': NO_TURN,
  '--worktree': [
    'each turn would work in another tree',
    'make one for all of them: git worktree add ../TREE && zwarm start -C ../TREE "…"',
  ],
  '--yolo': sandbox('danger-full-access'),
  fork: ['zwarm itself says which conversation goes on', 'zwarm fork ID "…"'],
  help: NO_TURN,
  resume: GO_ON,
  review: ['a review could not go on as a conversation', 'ask for one: zwarm start "review the last commit"'],
};
const REFUSED: ReadonlyMap<string, Reason> = new Map(Object.entries(REFUSALS));

const TASK: Reason = ['codex would take it for the task', 'give the task to zwarm: zwarm start "…"'];

/** An option with its values, or a word that is none: then it has no name. */
interface Item {
  readonly name: string | null;
  readonly words: readonly string[];
  readonly values: readonly string[];
}

function isOption(word: string): boolean {
  return word.startsWith('-') && word !== '-';
}

/** The option that a word begins, and the value that is part of the word. */
function optionOf(word: string): { readonly name: string; readonly attached: string | null } {
  const [, long, value = null] = /^(--[^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  if (long !== undefined) return { name: long, attached: value };
  const attached = word.slice(2).replace(/^=/, '');
  return { name: SHORT[word.charAt(1)] ?? word.slice(0, 2), attached: word.length > 2 ? attached : null };
}

/** How many of the words after an option are its values. */
function valuesAfter(name: string, rest: readonly string[]): number {
  if (takesNoValue.has(name)) return 0;
  const next = rest.findIndex(isOption);
  const words = next < 0 ? rest.length : next;
  // An image is followed by as many as there are.
  return name === '--image' ? words : Math.min(words, 1);
}

/** The options of a command line with their values, and its other words. */
export function codexItems(args: readonly string[]): readonly Item[] {
  const items: Item[] = [];
  for (let at = 0; at < args.length; ) {
    const word = args[at] ?? '';
    const rest = args.slice(at + 1);
    const { name, attached } = isOption(word) ? optionOf(word) : { name: null, attached: null };
    const more = name === null || attached !== null ? 0 : valuesAfter(name, rest);
    const values = attached === null ? rest.slice(0, more) : [attached];
    items.push({ name, words: args.slice(at, at + 1 + more), values });
    at += 1 + more;
  }
  return items;
}

function refusalOf({ name, words, values }: Item): UserArguments['refused'] {
  const [argument = ''] = words;
  const known = name === null || name === '--' ? (REFUSED.get(argument) ?? TASK) : REFUSED.get(name);
  if (known !== undefined) return { argument, why: known[0], hint: known[1] };
  if (name === null || !takesValue.has(name) || values.length > 0) return null;
  return { argument, why: 'its value is missing', hint: `--agent-arg=${argument} --agent-arg=VALUE` };
}

/** What the user's arguments mean to `codex exec` 0.169, which remembers the images of the first turn. */
export function readCodexArguments(args: readonly string[]): UserArguments {
  const items = codexItems(args);
  const isImage = ({ name }: Item): boolean => name === '--image';
  return {
    refused: items.map(refusalOf).find((refusal) => refusal !== null) ?? null,
    firstTurn: items.filter(isImage).flatMap(({ values }) => values.map((file) => `--image=${file}`)),
    everyTurn: items.filter((item) => !isImage(item)).flatMap(({ words }) => words),
    needsRepository: !items.some(({ name }) => name === '--skip-git-repo-check'),
  };
}
