import { readFileSync } from 'node:fs';
import type { CliContext } from './cli/context.ts';
import { run } from './cli/run.ts';
import { ZwarmError } from './core/errors.ts';
import { installation, installedFile } from './installation.ts';
import { isTerminal, outputStream } from './streams.ts';

function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  // Once: a second Ctrl-C ends the process in the usual way.
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
}

function packageVersion(): string {
  return JSON.parse(readFileSync(installedFile('package.json'), 'utf8')).version;
}

async function ask(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    // Ctrl-C and the end of the input close it without an answer, and leave the cursor behind the question.
    const leave = (): void => {
      process.stderr.write('\n');
      resolve(false);
    };
    lines.once('close', leave);
    lines.question(`${question} [y/N] `, (answer) => {
      lines.off('close', leave);
      lines.close();
      resolve(/^y(es)?$/i.test(answer.trim()));
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

/** Everything that a command may know of this process. */
function contextOfProcess(): CliContext {
  return {
    ...installation(),
    stdout: outputStream(1),
    stderr: outputStream(2),
    stdin: {
      get isTTY() {
        return isTerminal(0);
      },
      readAll: async () => (await import('node:stream/consumers')).buffer(process.stdin),
    },
    env: process.env,
    // Asked for when a command needs it: help does not.
    get cwd() {
      return workingDirectory();
    },
    uid: process.getuid?.() ?? 0,
    version: packageVersion,
    onInterrupt,
    async runOnTerminal(command, args) {
      const { runOnTerminal } = await import('./process/run.ts');
      return runOnTerminal(command, args);
    },
    async serveTools(managerFor) {
      const { serve } = await import('./mcp/server.ts');
      await serve({
        managerFor,
        input: process.stdin,
        output: process.stdout,
        log: (line) => void process.stderr.write(`${line}\n`),
        version: packageVersion(),
      });
    },
    ask,
    async runPager(pager, pieces, env) {
      const { pipeToTerminal } = await import('./process/run.ts');
      // Ctrl-C is the pager's: without us it would fight with the shell for the terminal.
      const leave = (): void => undefined;
      process.on('SIGINT', leave);
      try {
        return await pipeToTerminal(pager, pieces, { ...process.env, ...env });
      } finally {
        process.off('SIGINT', leave);
      }
    },
  };
}

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  const code = await run(process.argv.slice(2), contextOfProcess());
  // Output that could not be written is a failure, whatever the command says.
  process.exitCode ||= code;
}
