import { Command } from 'commander';
import { reportStarted } from '../await-answer.ts';
import type { Verb } from '../context.ts';
import { readTask } from '../task-input.ts';
import { addTurnOptions, type TurnOptions, waitingTime } from '../turn-options.ts';

interface Options extends TurnOptions {
  readonly agent?: string;
  readonly model?: string;
  readonly sandbox?: string;
  readonly directory?: string;
  readonly name?: string;
  readonly agentArg?: readonly string[];
}

const EXAMPLES = `
The task is the argument, the text on stdin (- or a pipe), a file (-F), or what you write in your editor.

Examples:
  $ zwarm start "fix the failing tests"
  $ zwarm start -s read-only -C ~/src/app "what does this project do?"
  $ git diff | zwarm start --wait -          the answer on stdout
  $ zwarm start -F task.md --name docs
  $ zwarm start -- "--dry-run does nothing: find out why"`;

/** `zwarm start` */
export function startCommand(verb: Verb): Command {
  const command = new Command('start')
    .description('start an agent on a task, in the background, and print the id of its session')
    .argument('[task]', 'what to do; - reads it from stdin')
    .option('-a, --agent <agent>', 'codex or demo (default: codex)')
    .option('-m, --model <model>', "the agent's model (default: the agent's own choice)")
    .option(
      '-s, --sandbox <mode>',
      'read-only, workspace-write or danger-full-access (default: workspace-write)',
    )
    .option('-C, --directory <dir>', 'where the agent works (default: here)')
    .option('--name <name>', 'a name to call the session by')
    .option(
      '--agent-arg <arg>',
      "an argument for the agent's own program; repeat for more",
      (arg, all: string[] = []) => [...all, arg],
    );
  return addTurnOptions(command, 'task')
    .addHelpText('after', EXAMPLES)
    .action(async (argument: string | undefined, options: Options) => {
      const timeoutMs = waitingTime(options);
      const task = await readTask(verb.context, { argument, file: options.file, what: 'task' });
      const manager = await verb.manager();
      const started = await manager.start({
        task,
        agent: options.agent,
        model: options.model,
        sandbox: options.sandbox,
        workingDir: options.directory,
        name: options.name,
        agentArgs: options.agentArg,
      });
      await reportStarted(verb, manager, started, { ...options, timeoutMs });
    });
}
