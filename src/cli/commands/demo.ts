import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_CODES, errnoOf } from '../../core/errors.ts';
import type { CliContext, Verb } from '../context.ts';
import { defineVerb } from '../define-verb.ts';

interface Step {
  /** What to print before it. */
  readonly say: string;
  readonly argv: readonly string[];
}

const STORY: readonly Step[] = [
  {
    say: 'Start three agents side by side. Each command returns at once with an id.',
    argv: ['start', '-a', 'demo', '--name', 'readme', 'Write a readme for this project'],
  },
  { say: '', argv: ['start', '-a', 'demo', '--name', 'bugs', 'Look for bugs'] },
  { say: '', argv: ['start', '-a', 'demo', '--name', 'stuck', 'Count all the stars [[hang]]'] },
  {
    say: 'All of them run in the background. The mark in the last task makes the demo agent hang.',
    argv: ['ls'],
  },
  { say: 'Wait for two of them. The third will never end by itself.', argv: ['wait', 'readme', 'bugs'] },
  {
    say: 'Go on with the first conversation, and wait for the answer.',
    argv: ['inject', 'readme', '--wait', 'Now make it shorter'],
  },
  { say: 'Look at what was said.', argv: ['show', 'readme'] },
  { say: 'End the one that hangs.', argv: ['kill', 'stuck'] },
  { say: 'How everything stands now.', argv: ['ls'] },
  { say: 'Delete every session that has ended.', argv: ['clean', '--days', '0'] },
];

function quoted(word: string): string {
  return /^[\w@.=/-]+$/.test(word) ? word : `"${word}"`;
}

function demoContext(context: CliContext, scratch: string): CliContext {
  const project = join(scratch, 'project');
  mkdirSync(project);
  chmodSync(project, 0o700);
  // A repository of its own: the temporary directory may lie in a project of the user's.
  mkdirSync(join(project, '.git'));
  chmodSync(join(project, '.git'), 0o700);
  writeFileSync(join(project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
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

/** Plays the story with real commands and real processes; the first command that fails ends it. */
async function play(verb: Verb, context: CliContext, interrupt: AbortSignal): Promise<number> {
  // Lazily, because `run` leads to this verb.
  const { run } = await import('../run.ts');
  const { paint } = await verb.style('stdout');
  for (const { say, argv } of STORY) {
    if (interrupt.aborted) return EXIT_CODES.interrupted;
    const typed = `$ zwarm ${argv.map(quoted).join(' ')}`;
    context.stdout.write(`${say === '' ? '' : `\n${paint.dim(`# ${say}`)}\n`}${paint.bold(typed)}\n`);
    const code = await run(argv, context);
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
    // Before anything is made: where the current directory was deleted, this throws.
    const outer = { ...verb.context };
    // Caught from here on: whenever Ctrl-C comes, the agents are ended and the directory goes.
    const interrupt = verb.context.onInterrupt();
    const scratch = mkdtempSync(join(tmpdir(), 'zwarm-demo-'));
    // Whatever the umask.
    chmodSync(scratch, 0o700);
    const context = demoContext(outer, scratch);
    const { run } = await import('../run.ts');
    try {
      verb.exit(await play(verb, context, interrupt));
    } finally {
      await run(['kill', '--all', '-q', '--grace', '1s'], {
        ...context,
        stdout: { ...context.stdout, write: () => undefined },
      });
      await removeSettling(scratch);
    }
  },
});
