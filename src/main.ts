import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { customAlphabet } from 'nanoid';
import type { OutputStream } from './cli/context.ts';
import { run } from './cli/run.ts';
import { ID_ALPHABET, ID_LENGTH, ID_LETTERS } from './core/ids.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The one place where the installation's own files are named: `dist/` lies beside `bin/`. */
const paths = {
  node: process.execPath,
  cli: here('../bin/zwarm.js'),
  runner: here('../bin/turn-runner.sh'),
  demoAgent: here('../bin/demo-agent.js'),
};

const firstLetter = customAlphabet(ID_LETTERS, 1);
const otherCharacters = customAlphabet(ID_ALPHABET, ID_LENGTH - 1);
const nonce = customAlphabet(ID_ALPHABET, 24);

function output(stream: NodeJS.WriteStream): OutputStream {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read this has seen enough (`| head`): that is no failure. Anything else is one.
    if (error.code !== 'EPIPE') process.exitCode = 1;
  });
  return {
    write: (text) => void stream.write(text),
    isTTY: stream.isTTY ?? false,
    get columns() {
      return stream.columns || 80;
    },
  };
}

async function readAll(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  // Once: a second Ctrl-C ends the process in the usual way.
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
}

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  process.exitCode = await run(process.argv.slice(2), {
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    stdin: { isTTY: process.stdin.isTTY ?? false, readAll },
    env: process.env,
    cwd: process.cwd(),
    uid: process.getuid?.() ?? 0,
    now: Date.now,
    newId: () => firstLetter() + otherCharacters(),
    newNonce: nonce,
    paths,
    version: () => JSON.parse(readFileSync(here('../package.json'), 'utf8')).version,
    onInterrupt,
    async runOnTerminal(command, args) {
      const { runOnTerminal } = await import('./process/run.ts');
      return runOnTerminal(command, args);
    },
  });
}
