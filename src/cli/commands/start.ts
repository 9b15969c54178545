import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from '../../core/errors.ts';
import { SANDBOXES } from '../../core/session.ts';
import type { TreeOptions } from '../../manager/launch/plan-tree.ts';
import { safeLine } from '../../render/text/safe-text.ts';
import { reportStarted, tellNotes } from '../await-answer.ts';
import {
  AGENT,
  fileOption,
  MODEL,
  RETRY,
  RUN_LIMIT_OPTIONS,
  requireWaiting,
  runLimitsOf,
  WAIT_OPTIONS,
} from '../common-options.ts';
import type { Verb } from '../context.ts';
import { argument, defineVerb, flag, type Values, value, values } from '../define-verb.ts';
import { oneOf, spending, text, upTo } from '../parsers.ts';

/** The options of verbs that begin a session. */
export const BEGIN_OPTIONS = {
  agent: AGENT,
  model: MODEL,
  sandbox: value(
    '-s, --sandbox <mode>',
    `${SANDBOXES.join(', ')} (default: workspace-write)`,
    oneOf('sandbox', SANDBOXES),
  ),
  workingDir: value('-C, --directory <dir>', 'where the agent works (default: here)', text('directory')),
  worktree: flag('-W, --worktree', 'give it a tree of its own: a git worktree with a new branch'),
  branch: value('--branch <name>', 'with -W: its branch (default: zwarm/NAME or zwarm/ID)', text()),
  base: value('--base <revision>', 'with -W: where it begins (default: the commit here)', text()),
  withChanges: flag('--with-changes', 'with -W: copy uncommitted changes from here into it'),
  name: value('--name <name>', 'a unique name for the session', text()),
  key: value(
    '--key <text>',
    'start only once: a second start with this key returns the first session',
    text(),
  ),
  tags: values('--tag <tag>', 'a word to find the session by; repeat for more', text('tag')),
  agentArgs: values('--agent-arg <arg>', "an argument for the agent's own program; repeat for more", text()),
  schema: value('--schema <file>', 'have the agent answer in JSON that fits this JSON schema', text('file')),
  queue: flag('--queue', 'wait while max_running turns run'),
  after: values('--after <id>', 'wait for a session to complete; repeat for more', text('session')),
  evenIfFailed: flag('--even-if-failed', 'with --after: wait for its end, however it ends'),
  ...RUN_LIMIT_OPTIONS,
  retries: RETRY,
  budget: value('--budget <amount>', 'begin no more turns once it has used 2M (tokens) or $5', spending),
  file: fileOption('task'),
  ...WAIT_OPTIONS,
};

function readSchema(cwd: string, path: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw usageError(`cannot read the schema from ${path}`, 'give a readable file with --schema FILE', error);
  }
}

/** The tree of its own that was asked for; undefined where none was. @throws ZwarmError `usage` */
function treeOf({
  worktree,
  branch,
  base,
  withChanges,
}: Values<typeof BEGIN_OPTIONS>): TreeOptions | undefined {
  if (worktree) return { branch, base, withChanges };
  if (branch === undefined && base === undefined && !withChanges) return undefined;
  const what = '--branch, --base and --with-changes are of a tree of its own';
  throw usageError(what, 'add -W, or leave them out');
}

type Begin = Values<typeof BEGIN_OPTIONS>;

/** The session that a command line asks for. @throws ZwarmError `usage`, `not_found` */
async function sessionOf({ manager, context }: Verb, options: Begin, orchestrates = false) {
  requireWaiting(options);
  const { agent, model, sandbox, workingDir, name, key, tags, agentArgs } = options;
  const { queue, evenIfFailed, retries, budget } = options;
  if (evenIfFailed && options.after === undefined)
    throw usageError('--even-if-failed needs --after', 'name the sessions to wait for: --after ID');
  const after =
    options.after === undefined
      ? undefined
      : await Promise.all(options.after.map((ref) => manager.resolve(ref)));
  const worktree = treeOf(options);
  const own = { agentArgs, argumentsFrom: context.cwd };
  const given = { worktree, agent, model, sandbox, workingDir, name, key, tags, ...own };
  const runLimits = runLimitsOf(options);
  const schema = options.schema === undefined ? undefined : readSchema(context.cwd, options.schema);
  return { ...given, schema, runLimits, retries, budget, queue, after, evenIfFailed, orchestrates };
}

/** A limit with a typing error has no effect: whoever reads the terminal learns of it. */
async function hintAtNotices(verb: Verb): Promise<void> {
  if (!verb.context.stderr.isTTY) return;
  for (const notice of (await verb.manager.settings()).notices) verb.hint(safeLine(notice));
}

/** Begins a session with the task that the command line leads to, and reports it. */
export async function beginSession(
  verb: Verb,
  task: string | undefined,
  options: Begin,
  orchestrates = false,
): Promise<void> {
  const { manager } = verb;
  const session = await sessionOf(verb, options, orchestrates);
  await hintAtNotices(verb);
  const line = `zwarm ${orchestrates ? 'orchestrate' : 'start'}`;
  const source = { argument: task, file: options.file, what: 'task', line } as const;
  const { withTask } = await import('../task-input.ts');
  const started = await withTask(verb.context, source, {
    check: () => manager.checkStart(session),
    use: (text) => manager.start({ task: text, ...session }),
  });
  tellNotes(verb, started, options.quiet);
  if (!started.started) verb.warn(`${started.id} was started with this key before`);
  await reportStarted(verb, started, options);
}

const OPTIONS = {
  ...BEGIN_OPTIONS,
  agent: values(
    '-a, --agent <agent>',
    'the agent, such as codex or claude; repeat for a session of each',
    text('agent'),
  ),
  count: value('--count <number>', 'start NUMBER sessions of each agent, at most 50', upTo(50)),
  each: values(
    '--each <file...>',
    'start a session for each of these files, with the task in it; - reads JSON lines from stdin',
    text('file'),
  ),
  dryRun: flag('--dry-run', 'only print where each would work, and its command'),
  resume: {
    ...value(
      '--resume <thread>',
      'import a thread or session file of an agent, and go on in it',
      text('file'),
    ),
    conflicts: (
      'sandbox directory worktree branch base with-changes name key tag agent-arg schema queue after ' +
      'even-if-failed budget count each dry-run'
    ).split(' '),
  },
};

/** Begins several sessions, or tells what would be begun. */
async function beginSeveral(
  verb: Verb,
  task: string | undefined,
  options: Values<typeof OPTIONS>,
): Promise<void> {
  const { agent: agents = [], count: number = 1, each = null, file, dryRun, json, quiet } = options;
  if (each !== null && (task ?? file ?? options.count) !== undefined)
    throw usageError('--each brings the tasks', 'leave the task, -F and --count out');
  if (options.wait) {
    const hint = 'start them, then: zwarm wait --tag TAG --answer';
    throw usageError('--wait waits for one session', hint);
  }
  const session = await sessionOf(verb, { ...options, agent: undefined });
  await hintAtNotices(verb);
  const { startSeveral } = await import('../start-several.ts');
  const several = { argument: task, file, agents, count: number, each };
  await startSeveral(verb, several, session, { dryRun, json, quiet });
}

/** `zwarm start` */
export const start = defineVerb({
  name: 'start',
  summary: 'start an agent on a task, and print the session id',
  args: { task: argument('[task]', 'what to do; - reads it from stdin', text()) },
  options: OPTIONS,
  notes: `
The agent works in the background; --wait waits for its answer. The task is the argument, the text on stdin (- or a pipe), a
file (-F), or what you write in your editor.

With --count, several -a or --each it starts several sessions, which get a tag in common. A JSON line for --each - is
{"task": …}, optionally with name, agent and, with -W, base.`,
  examples: [
    'zwarm start "fix the failing tests"',
    'zwarm start -s read-only -C ~/src/app "what does this project do?"',
    ['git diff | zwarm start --wait -', 'the answer on stdout'],
    'zwarm start -F task.md --name docs --tag nightly',
    ['zwarm start -W -a codex -a claude "make it faster"', 'each in a tree of its own'],
    ['zwarm start --resume rollout.jsonl "go on"', 'a conversation begun without zwarm'],
    'zwarm start -- "--dry-run does nothing: find out why"',
  ],
  async run(verb, { task }, options) {
    const { agent: agents = [], count: number, each, dryRun, resume, ...rest } = options;
    if (resume !== undefined) {
      const { resumeThread } = await import('../resume-thread.ts');
      return resumeThread(verb, task, resume, { ...rest, agents });
    }
    const isSeveral = agents.length > 1 || number !== undefined || each !== undefined || dryRun;
    return isSeveral
      ? beginSeveral(verb, task, options)
      : beginSession(verb, task, { ...rest, agent: agents[0] });
  },
});
