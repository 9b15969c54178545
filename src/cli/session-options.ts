import type { Command } from 'commander';
import type { StartOptions } from '../manager/start.ts';

/** The options of the verbs that begin a session: what it is to be. */
export interface SessionOptions {
  readonly agent?: string;
  readonly model?: string;
  readonly sandbox?: string;
  readonly directory?: string;
  readonly name?: string;
  readonly agentArg?: readonly string[];
}

/** Adds these options to a verb. */
export function addSessionOptions(command: Command): Command {
  return command
    .option('-a, --agent <agent>', 'codex or demo (default: codex)')
    .option('-m, --model <model>', "the agent's model (default: the agent's own choice)")
    .option(
      '-s, --sandbox <mode>',
      'read-only, workspace-write or danger-full-access (default: workspace-write)',
    )
    .option('-C, --directory <dir>', 'where the agent works (default: here)')
    .option('--name <name>', 'a name to call the session by, which no other session has')
    .option(
      '--agent-arg <arg>',
      "an argument for the agent's own program; repeat for more",
      (arg, all: string[] = []) => [...all, arg],
    );
}

/** What these options ask for, as the manager takes it. */
export function sessionOptions(options: SessionOptions): Omit<StartOptions, 'task'> {
  const { agent, model, sandbox, directory: workingDir, name, agentArg: agentArgs } = options;
  return { agent, model, sandbox, workingDir, name, agentArgs };
}
