import { Command, CommanderError, Help, Option } from 'commander';
import { usageError, type ZwarmError } from '../core/errors.ts';
import type { CliContext, Verb } from './context.ts';
import { type Options, type Values, type VerbDefinition, value } from './define-verb.ts';
import { formatItem, textBelow } from './help-layout.ts';
import { directory } from './parsers.ts';
import { VERBS } from './verbs.ts';

/** What every verb takes. */
export const GLOBAL_OPTIONS = {
  project: value('--project <dir>', 'work in the project of this directory', directory),
  stateDir: value('--state-dir <dir>', 'keep everything in this directory (also: ZWARM_DIR)', directory),
};

/** What was given for `GLOBAL_OPTIONS`. */
export type GlobalOptions = Values<typeof GLOBAL_OPTIONS>;

const ABOUT: Pick<VerbDefinition, 'notes' | 'examples'> = {
  notes: `
An id can be shortened to its first 3 characters. A --name or @last works, too.

To see zwarm work without an agent: zwarm demo`,
  examples: [
    ['zwarm start "fix the failing tests"', 'start an agent, print its id'],
    ['zwarm ls', 'what runs, and what has ended'],
    ['zwarm show @last', 'the conversation'],
    ['zwarm logs -f @last', 'what the agent does, as it happens'],
    ['zwarm inject @last "now the docs too"', 'the next message'],
    'zwarm start --wait "which TODOs are left?" > todos.txt',
    'zwarm kill @last',
    'zwarm clean --days 7',
  ],
};

/** What commander says, in our words: the message on one line, its advice or the way to the help as the hint. */
function fromCommander(error: CommanderError, command: Command): ZwarmError {
  const path = [command.name()];
  for (let above = command.parent; above !== null; above = above.parent) path.unshift(above.name());
  const help = `see ${path.join(' ')} --help`;
  // A line without a verb: commander would print all of its help as the error.
  if (error.code === 'commander.help') return usageError('which command?', help);
  const [first = '', advice] = error.message.replace(/^error: /, '').split('\n');
  const guess = advice?.replace(/^\(D(.*)\)$/, 'd$1');
  const hints = [help];
  if (command.name() === 'start' || command.name() === 'inject') {
    if (error.code === 'commander.unknownOption') hints.unshift('text that begins with - goes after --');
    if (error.code === 'commander.excessArguments') hints.unshift('put several words in quotes');
  }
  return usageError(first, guess ?? hints.join(': '));
}

/** Adds options to a command. Returns a way to ask for their values, once the line has been parsed. */
function addOptions<Table extends Options>(command: Command, table: Table): () => Values<Table> {
  const readers = Object.entries(table).map(([key, { term, description, repeats, conflicts = [], read }]) => {
    const option = new Option(term, description).conflicts([...conflicts]);
    if (repeats) option.argParser((text, all: string[] = []) => [...all, text]);
    command.addOption(option);
    return () => [key, read(command.getOptionValue(option.attributeName()))] as const;
  });
  return () => Object.fromEntries(readers.map((read) => read())) as Values<Table>;
}

function withDefaults(command: Command, { stdout }: CliContext): Command {
  const subcommandTerm = (verb: Command) => new Help().subcommandTerm(verb).replace(' [options]', '');
  return command
    .helpOption('-h, --help', 'print help')
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 20, formatItem, subcommandTerm })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // `run` prints errors, all in one form.
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHelpWidth: () => stdout.columns,
      getOutHasColors: () => false,
    })
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : fromCommander(error, command);
    });
}

function commandOf(
  definition: VerbDefinition,
  context: CliContext,
  createVerb: () => Promise<Verb>,
): Command {
  const { name, summary, aliases = [], args = {}, options = {}, subcommands = [], run } = definition;
  const command = withDefaults(new Command(name), context);
  command.description(summary).aliases([...aliases]);
  command.helpCommand(false);
  for (const { term, description } of Object.values(args)) command.argument(term, description);
  const readOptions = addOptions(command, options);
  command.addHelpText('after', () => textBelow(definition, context.stdout.columns));
  for (const one of subcommands) command.addCommand(commandOf(one, context, createVerb));
  if (run === undefined) return command;
  return command.action(async () => {
    const given = Object.fromEntries(
      Object.entries(args).map(([key, { read }], index) => [key, read(command.processedArgs[index])]),
    );
    await run(await createVerb(), given, readOptions());
  });
}

/** The verbs that a line may name. One that it does not name has no options: they would double the time of a start. */
function verbsFor(argv: readonly string[]): readonly VerbDefinition[] {
  const first = VERBS.filter(({ name }) => name === argv[0]);
  if (first.length > 0) return first;
  const isNamed = ({ name, aliases = [] }: VerbDefinition) =>
    [name, ...aliases].some((w) => argv.includes(w));
  return VERBS.map((verb) => (isNamed(verb) ? verb : { ...verb, options: {}, subcommands: [] }));
}

/** Runs the verb that a command line names, or prints help or the version. @throws ZwarmError */
export async function runCommandLine(
  argv: readonly string[],
  context: CliContext,
  createVerb: (options: GlobalOptions) => Promise<Verb>,
): Promise<void> {
  const program = withDefaults(new Command('zwarm'), context);
  program
    .description('Run coding agents in the background, and always know how each of them stands')
    .usage('<command> [options]')
    .option('-V, --version', 'print the version')
    // Read only when it is asked for: commander would want it for every command.
    .on('option:version', () => {
      context.stdout.write(`zwarm ${context.version()}\n`);
      throw new CommanderError(0, 'commander.version', '');
    })
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', () => textBelow(ABOUT, context.stdout.columns));
  const readGlobals = addOptions(program, GLOBAL_OPTIONS);
  for (const verb of verbsFor(argv)) {
    const command = commandOf(verb, context, () => createVerb(readGlobals()));
    program.addCommand(command, { hidden: verb.hidden ?? false });
  }
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
  } catch (error) {
    // Help and version were printed.
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
  }
}
