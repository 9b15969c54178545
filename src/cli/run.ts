import { resolve } from 'node:path';
import { toZwarmError, usageError, type ZwarmError } from '../core/errors.ts';
import { errorText } from '../render/error-lines.ts';
import { renderJson } from '../render/json.ts';
import { safeLine, safeText } from '../render/safe-text.ts';
import type { CliContext, Verb } from './context.ts';
import { type GlobalOptions, runCommandLine } from './program.ts';

/** A page is at least this wide, however narrow the terminal. */
const NARROWEST = 20;

async function createVerb(
  context: CliContext,
  { stateDir, project }: GlobalOptions,
  exit: (code: number) => void,
): Promise<Verb> {
  const { stdin, stdout, stderr } = context;
  const { createSessionManager } = await import('../manager/session-manager.ts');
  const managerContext = {
    ...context,
    ...{ client: null, project: null },
    cwd: resolve(context.cwd, project ?? ''),
    stateDir: stateDir === undefined ? null : resolve(context.cwd, stateDir),
  };
  const style: Verb['style'] = async (stream) => {
    const { createStyle } = await import('../render/style.ts');
    return createStyle(context.env, context[stream], context.now());
  };
  return {
    context,
    exit,
    manager: createSessionManager(managerContext),
    managerFor: (served) => createSessionManager({ ...managerContext, ...served }),
    style,
    async pageStyle() {
      const plain = await style('stdout');
      if (!stdout.isTTY) return { ...plain, width: Number.POSITIVE_INFINITY };
      // Loaded only here: nothing that a program reads needs it.
      const { renderMarkdown } = await import('../render/markdown.ts');
      return { ...plain, width: Math.max(NARROWEST, plain.width), markdown: renderMarkdown };
    },
    printJson: (value) => stdout.write(renderJson(value)),
    print: (line) => stdout.write(`${line}\n`),
    hint(text) {
      if (stderr.isTTY) stderr.write(`${text}\n`);
    },
    warn: (text) => stderr.write(`zwarm: ${safeLine(text)}\n`),
    async confirm(question, yes) {
      if (yes) return true;
      if (stdin.isTTY && stderr.isTTY) return context.ask(question);
      throw usageError('there is no terminal to ask on', 'say yes beforehand: --yes');
    },
  };
}

/** Prints the error that ended a verb, as JSON for `--json`. Loads nothing: perhaps no file can be opened any more. */
function printError(error: ZwarmError, argv: readonly string[], { stderr, env }: CliContext): void {
  const { code, message, hint } = error;
  const end = argv.indexOf('--');
  const json = argv.slice(0, end < 0 ? undefined : end).includes('--json');
  stderr.write(json ? renderJson({ error: { code, message, hint } }) : errorText(error));
  const cause = error.cause instanceof Error ? error.cause : error;
  if (env['ZWARM_DEBUG']) stderr.write(`${safeText(cause.stack ?? cause.message)}\n`);
}

/** Runs one command line; its exit code. Everything that is read and written goes through the context. */
export async function run(argv: readonly string[], context: CliContext): Promise<number> {
  let exitCode = 0;
  try {
    await runCommandLine(argv, context, (options) =>
      createVerb(context, options, (code) => {
        exitCode = code;
      }),
    );
    return exitCode;
  } catch (thrown) {
    const error = toZwarmError(thrown);
    printError(error, argv, context);
    return error.exitCode;
  }
}
