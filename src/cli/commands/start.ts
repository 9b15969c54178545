import { SANDBOXES } from '../../core/session.ts';
import { safeLine } from '../../render/safe-text.ts';
import { reportStarted } from '../await-answer.ts';
import { fileOption, requireWaiting, WAIT_OPTIONS } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { argument, defineVerb, type Values, value, values } from '../define-verb.ts';
import { oneOf } from '../parsers.ts';
import { withTask } from '../task-input.ts';

/** The options of verbs that begin a session. */
export const BEGIN_OPTIONS = {
  agent: value('-a, --agent <agent>', 'codex or demo (default: codex)'),
  model: value('-m, --model <model>', "the agent's model (default: the agent's own choice)"),
  sandbox: value(
    '-s, --sandbox <mode>',
    `${SANDBOXES.join(', ')} (default: workspace-write)`,
    oneOf('sandbox', SANDBOXES),
  ),
  workingDir: value('-C, --directory <dir>', 'where the agent works (default: here)'),
  name: value('--name <name>', 'a unique name for the session'),
  agentArgs: values('--agent-arg <arg>', "an argument for the agent's own program; repeat for more"),
  file: fileOption('task'),
  ...WAIT_OPTIONS,
};

/** Begins a session with the task that the command line leads to, and reports it. */
export async function beginSession(
  verb: Verb,
  task: string | undefined,
  options: Values<typeof BEGIN_OPTIONS>,
  orchestrates = false,
): Promise<void> {
  requireWaiting(options);
  const { agent, model, sandbox, workingDir, name, agentArgs, file } = options;
  const session = { agent, model, sandbox, workingDir, name, agentArgs, orchestrates };
  const { manager } = verb;
  // A limit with a typing error has no effect: whoever reads the terminal learns of it.
  if (verb.context.stderr.isTTY) {
    for (const notice of (await manager.settings()).notices) verb.hint(safeLine(notice));
  }
  const source = { argument: task, file, what: 'task' } as const;
  const started = await withTask(verb.context, source, {
    check: () => manager.checkStart(session),
    use: (text) => manager.start({ task: text, ...session }),
  });
  for (const warning of started.warnings) verb.warn(`warning: ${warning}`);
  await reportStarted(verb, started, options);
}

/** `zwarm start` */
export const start = defineVerb({
  name: 'start',
  summary: 'start an agent on a task in the background, and print the id of its session',
  args: { task: argument('[task]', 'what to do; - reads it from stdin') },
  options: BEGIN_OPTIONS,
  notes: `
The task is the argument, the text on stdin (- or a pipe), a file (-F), or what you write in your editor.`,
  examples: [
    'zwarm start "fix the failing tests"',
    'zwarm start -s read-only -C ~/src/app "what does this project do?"',
    ['git diff | zwarm start --wait -', 'the answer on stdout'],
    'zwarm start -F task.md --name docs',
    'zwarm start -- "--dry-run does nothing: find out why"',
  ],
  run: (verb, { task }, options) => beginSession(verb, task, options),
});
