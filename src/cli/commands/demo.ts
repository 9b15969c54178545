import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_CODES, errnoOf } from '../../core/errors.ts';
import type { CliContext, Verb } from '../context.ts';
import { defineVerb } from '../define-verb.ts';

/** What is typed, with what is said before it. */
const STORY = `
# Start three agents side by side. Each command returns at once with an id.
start -a demo --name readme "Write a readme for this project"
start -a demo --name bugs "Look for bugs"
start -a demo --name stuck "Count all the stars [[hang]]"

# All of them run in the background. The mark in the last task makes the demo agent hang.
ls

# Wait for two of them. The third will never end by itself.
wait readme bugs

# Go on with the first conversation, and wait for the answer.
inject readme --wait "Now make it shorter"

# Look at what was said.
show readme

# End the one that hangs.
kill stuck

# How everything stands now.
ls

# Delete every session that has ended.
clean --days 0`;

function demoContext(context: CliContext, scratch: string): CliContext {
  const project = join(scratch, 'project');
  // A repository of its own: the temporary directory may lie in a project of the user's.
  const git = join(project, '.git');
  for (const directory of [scratch, project, git]) {
    mkdirSync(directory, { recursive: true });
    // Whatever the umask.
    chmodSync(directory, 0o700);
  }
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  const env = {
    ...context.env,
    // Whatever else leads to sessions of the user's own: the story ends and deletes all of them.
    ZWARM_DIR: undefined,
    ZWARM_STORE: undefined,
    XDG_STATE_HOME: join(scratch, 'state'),
    // The story is told without a stop.
    ZWARM_PAGER: '',
  };
  return { ...context, cwd: project, env };
}

/** Removes a directory in which the records of ended turns may still be completed. */
async function removeSettling(directory: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      // Its own retries would not remove what was written meanwhile.
      return rmSync(directory, { recursive: true, force: true });
    } catch (error) {
      if (tries === 100 || errnoOf(error) !== 'ENOTEMPTY') throw error;
      await sleep(100);
    }
  }
}

/** Tells the story with real commands and real processes; the first command that fails ends it. */
async function play(verb: Verb, zwarm: (argv: string[]) => Promise<number>, interrupt: AbortSignal) {
  const { paint } = await verb.style('stdout');
  for (const line of STORY.split('\n')) {
    if (interrupt.aborted) return EXIT_CODES.interrupted;
    const isTyped = /^\w/.test(line);
    verb.print(isTyped ? paint.bold(`$ zwarm ${line}`) : paint.dim(line));
    const words = line.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [];
    const code = isTyped ? await zwarm(words) : 0;
    if (code !== 0) return code;
  }
  return 0;
}

/** `zwarm demo` */
export const demo = defineVerb({
  name: 'demo',
  summary:
    'see zwarm at work in ten seconds: real sessions with the built-in demo agent, in a temporary directory',
  async run(verb) {
    // Lazily, because `run` leads to this verb.
    const { run } = await import('../run.ts');
    // Caught from here on: whenever Ctrl-C comes, the agents are ended and the directory goes.
    const interrupt = verb.context.onInterrupt();
    const scratch = mkdtempSync(join(tmpdir(), 'zwarm-demo-'));
    const context = demoContext(verb.context, scratch);
    try {
      verb.exit(await play(verb, (argv) => run(argv, context), interrupt));
    } finally {
      const stdout = { ...context.stdout, write: () => undefined };
      await run(['kill', '--all', '-q', '--grace', '1s'], { ...context, stdout });
      await removeSettling(scratch);
    }
  },
});
