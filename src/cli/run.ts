import { resolve } from 'node:path';
import { toZwarmError } from '../core/errors.ts';
import type { ManagerContext } from '../manager/context.ts';
import { renderJson } from '../render/json.ts';
import type { CliContext, ServedClient, Verb } from './context.ts';
import { printError } from './print-error.ts';
import { type GlobalOptions, runCommandLine } from './program.ts';

/** A page is at least this wide, however narrow the terminal. */
const NARROWEST = 20;

function managerContext(
  context: CliContext,
  { stateDir, project }: GlobalOptions,
  served: ServedClient | undefined,
): ManagerContext {
  const { env, uid, loadSettings, paths, now, newId, newNonce } = context;
  const cwd = project === undefined ? context.cwd : resolve(context.cwd, project);
  const given = { env, cwd, uid, loadSettings, paths, now, newId, newNonce };
  const chosen = stateDir === undefined ? null : resolve(context.cwd, stateDir);
  return { ...given, client: null, project: null, stateDir: chosen, ...served };
}

function createVerb(context: CliContext, options: GlobalOptions, exit: (code: number) => void): Verb {
  const style: Verb['style'] = async (stream) => {
    const { createStyle } = await import('../render/style.ts');
    return createStyle(context.env, context[stream], context.now());
  };
  return {
    context,
    exit,
    async manager(served) {
      const { createSessionManager } = await import('../manager/session-manager.ts');
      return createSessionManager(managerContext(context, options, served));
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
  const exit = (code: number): void => {
    exitCode = code;
  };
  try {
    await runCommandLine(argv, context, (options) => createVerb(context, options, exit));
    return exitCode;
  } catch (thrown) {
    const error = toZwarmError(thrown);
    printError(error, argv, context);
    return error.exitCode;
  }
}
