import { resolve } from 'node:path';
import { toZwarmError, type ZwarmError } from '../core/errors.ts';
import { errorText } from '../render/error-lines.ts';
import { renderJson } from '../render/json.ts';
import { safeLine, safeText } from '../render/text/safe-text.ts';
import { withoutAlias } from './alias.ts';
import { type GlobalOptions, PROGRAM, VERBS } from './command-tree.ts';
import type { CliContext, Verb } from './context.ts';
import { runCommandLine } from './program.ts';

/** A page is at least this wide, however narrow the terminal. */
const NARROWEST = 20;

/** The name of this host for hyperlinks on stdout; null where that has none. */
async function linkHostOf({ stdout, env }: CliContext): Promise<string | null> {
  if (!stdout.takesEscapes) return null;
  const { hasHyperlinks } = await import('../render/text/link.ts');
  const { passesLinks } = await import('./terminal/pager.ts');
  if (!hasHyperlinks(env) || !passesLinks(env)) return null;
  return (await import('node:os')).hostname();
}

/** Where the options of a command line end. */
function endOfOptions(argv: readonly string[]): number {
  const end = argv.indexOf('--');
  return end < 0 ? argv.length : end;
}

async function createVerb(
  context: CliContext,
  argv: readonly string[],
  { stateDir, project, color = 'auto' }: GlobalOptions,
  exit: (code: number) => void,
): Promise<Verb> {
  const { stdout, stderr } = context;
  const { createSessionManager } = await import('../manager/session-manager.ts');
  const managerContext = {
    ...context,
    client: null,
    project: null,
    cwd: resolve(context.cwd, project ?? ''),
    stateDir: stateDir === undefined ? null : resolve(context.cwd, stateDir),
  };
  const style: Verb['style'] = async (stream) => {
    const { createStyle } = await import('../render/style.ts');
    const { takesEscapes: isTTY, columns } = context[stream];
    const env = { auto: context.env, always: { FORCE_COLOR: '1' }, never: { NO_COLOR: '1' } }[color];
    return createStyle(env, { isTTY, columns }, context.now());
  };
  return {
    context,
    exit,
    behindDashes: argv.slice(endOfOptions(argv) + 1),
    manager: createSessionManager(managerContext),
    namesProject: project !== undefined,
    managerFor: (other) => createSessionManager({ ...managerContext, ...other }),
    style,
    async pageStyle() {
      const plain = await style('stdout');
      if (!stdout.isTTY) return { ...plain, width: Number.POSITIVE_INFINITY };
      // Loaded only here: nothing that a program reads needs it.
      const { renderMarkdown } = await import('../render/markdown/markdown.ts');
      const width = Math.max(NARROWEST, plain.width);
      return { ...plain, width, markdown: renderMarkdown, linkHost: await linkHostOf(context) };
    },
    printJson: (value) => stdout.write(renderJson(value)),
    print: (line) => stdout.write(`${line}\n`),
    hint(text) {
      if (stderr.isTTY) stderr.write(`${text}\n`);
    },
    warn: (text) => stderr.write(`zwarm: ${safeLine(text)}\n`),
  };
}

/** Whether a command line asks for JSON, even where it cannot be understood. */
export function asksForJson(argv: readonly string[]): boolean {
  return argv.slice(0, endOfOptions(argv)).includes('--json');
}

/** Prints the error that ended a verb, as JSON for `--json`. Loads nothing: perhaps no file can be opened any more. */
function printError(error: ZwarmError, argv: readonly string[], { stderr, env }: CliContext): void {
  const { code, message, hint } = error;
  stderr.write(asksForJson(argv) ? renderJson({ error: { code, message, hint } }) : errorText(error));
  const cause = error.cause instanceof Error ? error.cause : error;
  if (env['ZWARM_DEBUG']) stderr.write(`${safeText(cause.stack ?? cause.message)}\n`);
}

/** With what was typed in place of the ids of sessions. */
const inWordsOf = (manager: Verb['manager'] | null, error: ZwarmError): ZwarmError =>
  manager?.inWordsOfCaller(error) ?? error;

/** Runs one command line; its exit code. Everything that is read and written goes through the context. */
export async function run(argv: readonly string[], context: CliContext): Promise<number> {
  let exitCode = 0;
  let manager: Verb['manager'] | null = null;
  let line = argv;
  try {
    line = await withoutAlias(argv, { verbs: VERBS, globals: PROGRAM.globals }, async (word) =>
      (await import('../config/aliases.ts')).aliasOf(context.env, word),
    );
    await runCommandLine(line, context, async (options) => {
      const verb = await createVerb(context, line, options, (code) => {
        exitCode = code;
      });
      manager = verb.manager;
      return verb;
    });
    return exitCode;
  } catch (thrown) {
    const error = toZwarmError(thrown);
    printError(inWordsOf(manager, error), line, context);
    return error.exitCode;
  }
}
