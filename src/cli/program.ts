import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { ZwarmError } from '../core/errors.ts';
import type { CliContext, Verb } from './context.ts';
import { VERBS, type VerbOutline } from './verbs.ts';

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

/** A verb as the help of all of them shows it. */
function outlineOf(name: string, { description, aliases = [], args = {} }: VerbOutline): Command {
  const command = new Command(name).description(description).aliases([...aliases]);
  for (const [argument, what] of Object.entries(args)) command.argument(argument, what);
  return command;
}

/**
 * Adds the verbs: with their options where the line names them, which takes as long as all else of a start for all of
 * them. A line that begins with a verb needs no other.
 */
async function addVerbs(program: Command, verb: Verb, argv: readonly string[]): Promise<void> {
  const verbs = Object.entries(VERBS);
  const first = verbs.filter(([name]) => name === argv[0]);
  for (const [name, outline] of first.length > 0 ? first : verbs) {
    const command = outlineOf(name, outline);
    const named = [name, ...(outline.aliases ?? [])].some((word) => argv.includes(word));
    if (named) (await outline.load())(command, verb);
    program.addCommand(command, { hidden: outline.hidden ?? false });
  }
}

/** A verb in the help of all: with what it takes, but without a word on its options, which are not loaded there. */
function subcommandTerm(command: Command): string {
  const args = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
  return [[command.name(), ...command.aliases().slice(0, 1)].join('|'), ...args].join(' ');
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/**
 * The command line, as far as `argv` needs it. `createVerb` gets a way to ask for `--state-dir` once the line has been
 * parsed.
 */
export async function createProgram(
  context: CliContext,
  createVerb: (stateDir: () => string | null) => Verb,
  argv: readonly string[],
): Promise<Command> {
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
  await addVerbs(program, verb, argv);
  for (const command of withSubcommands(program)) {
    const help = command === program ? { subcommandTerm } : {};
    command.helpOption('-h, --help', 'print help').configureHelp({ showGlobalOptions: true, ...help });
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
