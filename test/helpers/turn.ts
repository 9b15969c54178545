import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ownIdentity } from '../../src/process/identity.ts';
import { parse } from '../../src/store/records.ts';
import { emptyDirectory } from './directory.ts';
import { repositoryFile } from './project.ts';

const RUNNER = repositoryFile('bin/turn-runner.sh');

export type Turn = ReturnType<typeof createTurn>;

export interface RunOptions {
  readonly shell?: readonly string[];
  readonly umask?: string;
  readonly directory?: string;
  readonly input?: string;
  readonly env?: Record<string, string>;
  readonly onSpawn?: (pid: number) => void;
}

/** A turn's directory and one for its agent, with the turn runner to run in them; removed when the test ends. */
export function createTurn(prompt: string | Buffer = 'hello\n') {
  const base = emptyDirectory();
  const directory = join(base, 'turn');
  const work = join(base, 'work ünd "more"');
  for (const path of [directory, work]) mkdirSync(path);
  writeFileSync(join(directory, 'prompt.md'), prompt);
  for (const name of ['events.jsonl', 'stderr.log']) writeFileSync(join(directory, name), '');
  const file = (name: string): string => readFileSync(join(directory, name), 'utf8');
  const { host, boot_id, pid_ns, uid } = ownIdentity();
  const identity = JSON.stringify({ v: 1, host, boot_id, pid_ns, uid }).slice(0, -1);
  return {
    directory,
    work,
    file,
    exit: () => parse.exit(file('exit.json')),
    /** Starts the runner with a program; resolves with its own exit code. */
    run(argv: readonly string[], options: RunOptions = {}): Promise<number | null> {
      const { shell: [shell = '', ...shellArgs] = ['/bin/sh'], input = 'prompt.md' } = options;
      const args = ['--identity', identity, '--umask', options.umask ?? '0022', '--input', input];
      args.push('--directory', options.directory ?? work, '--', ...argv);
      const child = spawn(shell, [...shellArgs, RUNNER, ...args], {
        cwd: directory,
        detached: true,
        stdio: 'ignore',
        env: { PATH: process.env['PATH'], ...options.env },
      });
      // One that hangs must not outlive its test.
      onTestFinished(() => void child.kill('SIGKILL'));
      if (child.pid !== undefined) options.onSpawn?.(child.pid);
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('exit', resolve);
      });
    },
  };
}

/** A program of this test: a shell script with `body`. */
export function program(turn: Turn, body: string): string {
  const path = join(turn.work, 'agent.sh');
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
}
