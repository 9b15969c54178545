import { Command, CommanderError, Option } from 'commander';
import { usageError } from '../core/errors.ts';
import { GLOBAL_OPTIONS, type GlobalOptions, PROGRAM, SHARED_OPTIONS, VERBS } from './command-tree.ts';
import type { CliContext, Verb } from './context.ts';
import type { Options, Values, VerbDefinition } from './define-verb.ts';
import { type CommandPage, helpPage, pageOf } from './help/help-page.ts';

/** Thrown where a word is no command of a page: what to say then is loaded only where it is said. */
class UnknownCommand extends Error {
  readonly word: string;
  readonly page: CommandPage;

  constructor(word: string, page: CommandPage) {
    super(word);
    this.word = word;
    this.page = page;
  }
}

/** What commander says, in our words: the message on one line, its advice or the way to the help as the hint. */
function fromCommander(error: CommanderError, command: Command, page: CommandPage): Error {
  const help = `see ${page.path} --help`;
  const [word = '', asked = ''] = command.args;
  if (error.code === 'commander.unknownCommand') return new UnknownCommand(word, page);
  // A line without a verb, or with one that `help` does not know: commander would print all of its help as the error.
  if (error.code === 'commander.help')
    return asked === '' ? usageError('which command?', help) : new UnknownCommand(asked, page);
  if (error.code === 'commander.missingArgument' && error.message.endsWith("'id'")) {
    const [example = help] = page.definition.examples ?? [];
    return usageError('which session?', `such as: ${typeof example === 'string' ? example : example[0]}`);
  }
  const [first = '', advice] = error.message.replace(/^error: /, '').split('\n');
  const guess = advice?.replace(/^\(D(.*)\)$/, 'd$1');
  const hints = [help];
  if (command.name() === 'start' || command.name() === 'inject') {
    if (error.code === 'commander.unknownOption') hints.unshift('text that begins with - goes after --');
    if (error.code === 'commander.excessArguments') hints.unshift('put several words in quotes');
  }
  return usageError(first, guess ?? hints.join(': '));
}

/** What commander calls the option of a name. */
const attributeOf = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Adds options to a command. Returns a way to ask for their values, once the line has been parsed. */
function addOptions<Table extends Options>(command: Command, table: Table): () => Values<Table> {
  const readers = Object.entries(table).map(([key, { term, repeats, conflicts = [], read }]) => {
    const option = new Option(term).conflicts(conflicts.map(attributeOf));
    if (repeats) option.argParser((text, all: string[] = []) => [...all, text]);
    command.addOption(option);
    return () => [key, read(command.getOptionValue(option.attributeName()))] as const;
  });
  return () => Object.fromEntries(readers.map((read) => read())) as Values<Table>;
}

function createCommand(page: CommandPage, { stdout }: CliContext): Command {
  const command = new Command(page.definition.name);
  return command
    .helpOption('-h, --help')
    .configureHelp({ formatHelp: () => helpPage(page, stdout.columns) })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // `run` prints errors, all in one form.
      writeErr: () => undefined,
      outputError: () => undefined,
      // Else commander asks the streams of Node, which take long to load.
      getOutHelpWidth: () => stdout.columns,
      getOutHasColors: () => false,
    })
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : fromCommander(error, command, page);
    });
}

function commandOf(page: CommandPage, context: CliContext, createVerb: () => Promise<Verb>): Command {
  const { aliases = [], args = {}, options = {}, subcommands = [], run } = page.definition;
  const command = createCommand(page, context)
    .aliases([...aliases])
    .helpCommand(false);
  for (const { term } of Object.values(args)) command.argument(term);
  const readOptions = addOptions(command, options);
  for (const one of subcommands) {
    const below = pageOf(`${page.path} ${one.name}`, one, page.globals);
    command.addCommand(commandOf(below, context, createVerb));
  }
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
  const program = createCommand(PROGRAM, context)
    .option('-V, --version')
    // Read only when it is asked for: commander would want it for every command.
    .on('option:version', () => {
      context.stdout.write(`zwarm ${context.version()}\n`);
      throw new CommanderError(0, 'commander.version', '');
    })
    .helpCommand('help [command]');
  const readGlobals = addOptions(program, GLOBAL_OPTIONS);
  for (const verb of verbsFor(argv)) {
    const page = pageOf(`${PROGRAM.path} ${verb.name}`, verb, SHARED_OPTIONS);
    program.addCommand(commandOf(page, context, () => createVerb(readGlobals())));
  }
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof UnknownCommand)
      throw (await import('./help/unknown-command.ts')).unknownCommand(error.word, error.page);
    // Help and version were printed.
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
  }
}
