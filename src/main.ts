import { readFileSync } from 'node:fs';
import type { Agreement, CliContext } from './cli/context.ts';
import { asksForJson, run } from './cli/run.ts';
import { forcedColumns } from './cli/terminal/forced-terminal.ts';
import { ZwarmError } from './core/errors.ts';
import { installation, installedFile } from './installation.ts';
import { speaksUtf8 } from './render/text/locale.ts';
import { type Form, isTerminal, outputStream } from './streams.ts';

/** Aborts with the exit code of the first of these signals. */
function abortedBy(codes: Readonly<Record<string, number>>): AbortSignal {
  const controller = new AbortController();
  // Once: the second one of a kind ends the process in the usual way.
  for (const [name, code] of Object.entries(codes)) process.once(name, () => controller.abort(code));
  return controller.signal;
}

function packageVersion(): string {
  return JSON.parse(readFileSync(installedFile('package.json'), 'utf8')).version;
}

async function ask(question: string): Promise<Agreement> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    let without: Agreement = 'no';
    // Ctrl-C and the end of the input close it without an answer, and leave the cursor behind the question.
    const leave = (): void => {
      process.stderr.write('\n');
      resolve(without);
    };
    lines.once('close', leave);
    lines.once('SIGINT', () => {
      without = 'interrupted';
      lines.close();
    });
    lines.question(`${question} [y/N] `, (answer) => {
      lines.off('close', leave);
      lines.close();
      resolve(/^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no');
    });
  });
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    // Any other directory would be the wrong one: an agent might start to work there.
    throw new ZwarmError('io', 'the current directory was deleted', 'change to one that exists', error);
  }
}

function* mapped(pieces: Iterable<string>, form: Form): Generator<string> {
  for (const piece of pieces) yield form(piece);
}

/** `CliContext.onStop` */
function aroundStops(leave: () => void, back: () => void): () => void {
  const stop = (): void => {
    leave();
    process.kill(process.pid, 'SIGSTOP');
  };
  process.on('SIGTSTP', stop);
  process.on('SIGCONT', back);
  return () => void process.off('SIGTSTP', stop).off('SIGCONT', back);
}

/** While a program has the terminal, Ctrl-C and the end of the terminal are its own: without us it would be cut off. */
async function withoutInterrupts<T>(act: () => Promise<T>): Promise<T> {
  const leave = (): void => undefined;
  const signals = ['SIGINT', 'SIGQUIT', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, leave);
  try {
    return await act();
  } finally {
    for (const signal of signals) process.off(signal, leave);
  }
}

/** Everything that a command may know of this process. */
function contextOfProcess(form: Form | null): CliContext {
  let stdout: CliContext['stdout'] | null = null;
  return {
    ...installation(),
    // Made for the command line: an error in the environment is told like one in what was typed.
    get stdout() {
      stdout ??= outputStream(1, forcedColumns(process.env), form);
      return stdout;
    },
    stderr: outputStream(2, null, form),
    stdin: {
      get isTTY() {
        return isTerminal(0);
      },
      pieces: () => process.stdin,
      readAll: async () => (await import('node:stream/consumers')).buffer(process.stdin),
    },
    env: process.env,
    // Asked for when a command needs it: help does not.
    get cwd() {
      return workingDirectory();
    },
    uid: process.getuid?.() ?? 0,
    version: packageVersion,
    onInterrupt: () => abortedBy({ SIGINT: 130 }),
    onEnd: () => abortedBy({ SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 }),
    onStop: aroundStops,
    capture: async (...given) => (await import('./process/run.ts')).ask(...given),
    runOnTerminal: async (...given) => (await import('./process/run.ts')).runOnTerminal(...given),
    async serveTools(managerFor, offered) {
      const { serve } = await import('./mcp/server.ts');
      await serve({
        managerFor,
        ...offered,
        input: process.stdin,
        output: process.stdout,
        log: (line) => void process.stderr.write(`${line}\n`),
        version: packageVersion(),
      });
    },
    ask,
    handOver: (...given) =>
      withoutInterrupts(async () => (await import('./process/run.ts')).handOver(...given)),
    runPager: (pager, pieces, env) =>
      withoutInterrupts(async () => {
        const { pipeToTerminal } = await import('./process/run.ts');
        const formed = form === null ? pieces : mapped(pieces, form);
        return pipeToTerminal(pager, formed, { ...process.env, ...env });
      }),
  };
}

/** In what form a terminal gets a text: JSON as it is, all else in ASCII where the locale has no UTF-8. */
async function formOfTerminal(argv: readonly string[]): Promise<Form | null> {
  // Where nothing is set, macOS has UTF-8, and all others what C has.
  if (speaksUtf8(process.env, process.platform === 'darwin') || asksForJson(argv)) return null;
  return (await import('./render/text/ascii.ts')).toAscii;
}

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  const code = await run(argv, contextOfProcess(await formOfTerminal(argv)));
  // Output that could not be written is a failure, whatever the command says.
  process.exitCode ||= code;
}
