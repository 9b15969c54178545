import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { ZwarmError } from '../core/errors.ts';
import { cleanCommand } from './commands/clean.ts';
import { compactCommand } from './commands/compact.ts';
import { configCommand } from './commands/config.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { forkCommand } from './commands/fork.ts';
import { injectCommand } from './commands/inject.ts';
import { killCommand } from './commands/kill.ts';
import { logsCommand } from './commands/logs.ts';
import { lsCommand } from './commands/ls.ts';
import { mcpCommand } from './commands/mcp.ts';
import { orchestrateCommand } from './commands/orchestrate.ts';
import { rewindCommand } from './commands/rewind.ts';
import { rmCommand } from './commands/rm.ts';
import { settleCommand } from './commands/settle.ts';
import { showCommand } from './commands/show.ts';
import { startCommand } from './commands/start.ts';
import { trajectoryCommand } from './commands/trajectory.ts';
import { waitCommand } from './commands/wait.ts';
import type { CliContext, Verb } from './context.ts';

const EXAMPLES = `
Examples:
  $ zwarm start "fix the failing tests"      start an agent, get its id back at once
  $ zwarm ls                                 what runs, what has ended, and how
  $ zwarm show @last                         the conversation
  $ zwarm logs -f @last                      what the agent does, as it comes
  $ zwarm inject @last "now the docs too"    the next message
  $ zwarm start --wait "which TODOs are left?" > todos.txt
  $ zwarm kill @last
  $ zwarm clean --days 7

An id can be shortened to its first 3 characters, or be a --name or @last.
To see it all without an agent: zwarm demo`;

/** A verb: a commander command whose action runs with what `Verb` offers. */
export type DefineVerb = (verb: Verb) => Command;

const VERBS: readonly DefineVerb[] = [
  startCommand,
  lsCommand,
  showCommand,
  logsCommand,
  trajectoryCommand,
  injectCommand,
  forkCommand,
  rewindCommand,
  compactCommand,
  waitCommand,
  killCommand,
  rmCommand,
  cleanCommand,
  orchestrateCommand,
  mcpCommand,
  doctorCommand,
  configCommand,
  demoCommand,
];

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** The whole command line. `createVerb` gets a way to ask for `--state-dir` once the line has been parsed. */
export function createProgram(
  context: CliContext,
  createVerb: (stateDir: () => string | null) => Verb,
): Command {
  const program = new Command('zwarm');
  const verb = createVerb(() => {
    const given: unknown = program.opts()['stateDir'];
    if (typeof given !== 'string') return null;
    // An unset variable in a script must not make the current directory the state directory.
    if (given !== '') return resolve(context.cwd, given);
    throw new ZwarmError('usage', '--state-dir is empty', 'name a directory, or leave it out');
  });
  program
    .description('Run coding agents in the background, and always know how each of them stands')
    .usage('<command> [options]')
    .option('-V, --version', 'print the version')
    // Read only when it is asked for: commander would want it for every command.
    .on('option:version', () => {
      context.stdout.write(`zwarm ${context.version()}\n`);
      throw new CommanderError(0, 'commander.version', '');
    })
    .option('--state-dir <dir>', 'use this state directory (also: ZWARM_DIR)')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EXAMPLES);
  for (const define of VERBS) program.addCommand(define(verb));
  program.addCommand(settleCommand(verb), { hidden: true });
  for (const command of withSubcommands(program)) {
    command.helpOption('-h, --help', 'print help').configureHelp({ showGlobalOptions: true });
    command.exitOverride().configureOutput({
      writeOut: (text) => context.stdout.write(text),
      // `run` prints errors, all in one form.
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHelpWidth: () => context.stdout.columns,
      getErrHelpWidth: () => context.stderr.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  }
  return program;
}
