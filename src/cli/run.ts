import { type Command, CommanderError } from 'commander';
import { EXIT_CODES, toZwarmError, ZwarmError } from '../core/errors.ts';
import type { ManagerContext } from '../manager/context.ts';
import { renderJson } from '../render/json.ts';
import type { CliContext, ServedClient, Verb } from './context.ts';
import { printError } from './print-error.ts';
import { createProgram } from './program.ts';

/** The names of the commands on a command line, each below the one before it, as they were typed. */
function commandsIn(argv: readonly string[], { commands }: Pick<Command, 'commands'>): readonly string[] {
  for (const [at, word] of argv.entries()) {
    const command = commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (command !== undefined) return [word, ...commandsIn(argv.slice(at + 1), command)];
  }
  return [];
}

/** What commander says, in our words: the message on one line, its advice or the way to the help as the hint. */
function fromCommander(error: CommanderError, commands: readonly string[]): ZwarmError {
  const [first = '', advice] = error.message.replace(/^error: /, '').split('\n');
  const guess = advice?.replace(/^\(D|\)$/g, (edge) => (edge === ')' ? '' : 'd'));
  const [verb] = commands;
  const speaks = verb === 'start' || verb === 'inject';
  const dash = speaks && first.startsWith('unknown option') ? 'text that begins with - goes after --: ' : '';
  const words = speaks && error.code === 'commander.excessArguments' ? 'put several words in quotes: ' : '';
  const help = ['zwarm', ...commands, '--help'].join(' ');
  // A line without a command: commander would print all of its help as the error.
  if (error.code === 'commander.help') return new ZwarmError('usage', 'which command?', `see ${help}`);
  return new ZwarmError('usage', first, guess ?? `${dash}${words}see ${help}`);
}

/** On a narrower terminal a page is as wide as this. */
const NARROWEST = 20;

function managerContext(
  context: CliContext,
  stateDir: string | null,
  served: ServedClient | undefined,
): ManagerContext {
  const { env, cwd, uid, loadSettings, paths, now, newId, newNonce } = context;
  const given = { env, cwd, uid, loadSettings, paths, now, newId, newNonce };
  return { ...given, client: null, project: null, stateDir, ...served };
}

function createVerb(context: CliContext, stateDir: () => string | null, exit: (code: number) => void): Verb {
  const style: Verb['style'] = async (stream) => {
    const { createStyle } = await import('../render/style.ts');
    return createStyle(context.env, context[stream], context.now());
  };
  return {
    context,
    exit,
    async manager(served) {
      const { createSessionManager } = await import('../manager/session-manager.ts');
      return createSessionManager(managerContext(context, stateDir(), served));
    },
    style,
    async pageStyle() {
      const { isTTY, columns } = context.stdout;
      const plain = await style('stdout');
      if (!isTTY) return { ...plain, width: Number.POSITIVE_INFINITY };
      // Loaded only here: nothing that a program reads needs it.
      const { renderMarkdown } = await import('../render/markdown.ts');
      return { ...plain, width: Math.max(NARROWEST, columns), markdown: renderMarkdown };
    },
    printJson: (value) => context.stdout.write(renderJson(value)),
    hint(text) {
      if (context.stderr.isTTY) context.stderr.write(`${text}\n`);
    },
  };
}

/**
 * Runs one command line and returns its exit code. Nothing is read from or written to the process itself: everything
 * goes through the context.
 */
export async function run(argv: readonly string[], context: CliContext): Promise<number> {
  let exitCode = 0;
  let program: Command | null = null;
  try {
    const verbOf = (stateDir: () => string | null): Verb =>
      createVerb(context, stateDir, (code) => {
        exitCode = code;
      });
    program = await createProgram(context, verbOf, argv);
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    // Help and version are no errors; commander has printed them.
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    const error =
      thrown instanceof CommanderError
        ? fromCommander(thrown, program === null ? [] : commandsIn(argv, program))
        : toZwarmError(thrown);
    printError(error, argv, context);
    return EXIT_CODES[error.code];
  }
}
