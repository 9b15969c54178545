import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_CODES } from '../../core/errors.ts';
import { safeText } from '../../render/text/safe-text.ts';
import { readable, textLines } from '../../render/text/wrap.ts';
import type { CliContext, Verb } from '../context.ts';
import { run } from '../run.ts';
import { ANSWER_MS, commitProject, makeProject, makeScratch, removeSettling } from './project.ts';
import { DEMO_STORY, FAREWELL } from './story.ts';

/** How long a reader gets for what is on a terminal before the next command is typed. */
const READING_MS = 500;

/** Prints what a command of git prints, in git's own colours; its exit code. */
async function showPatch(verb: Verb, args: readonly string[], { capture, cwd, env }: CliContext) {
  const { paint } = await verb.style('stdout');
  const { code, stdout } = await capture('git', args, { cwd, env, timeoutMs: ANSWER_MS });
  const colours = { '@': paint.cyan, '-': paint.red, '+': paint.green, ' ': paint };
  for (const line of safeText(stdout.trimEnd()).split('\n')) {
    const [mark = ''] = /^(?!--- |\+\+\+ )[-+@ ]/.exec(line) ?? [];
    verb.print((colours[mark as keyof typeof colours] ?? paint.bold)(line));
  }
  return code;
}

/** Says something, in comments that fit the terminal. */
async function say(verb: Verb, text: string): Promise<void> {
  const { paint, width } = await verb.style('stdout');
  for (const line of textLines(text, readable(width) - 2)) verb.print(paint.dim(`# ${line}`));
}

/** Tells the story with real commands and real processes; the first command that fails ends it. */
async function play(verb: Verb, context: CliContext, interrupt: AbortSignal): Promise<number> {
  const { paint } = await verb.style('stdout');
  const { stdout } = context;
  const hasGit = await commitProject(context);
  for (const [text, ...lines] of DEMO_STORY) {
    if (!hasGit && lines.some((line) => line.startsWith('git '))) continue;
    await say(verb, text);
    for (const line of lines) {
      if (stdout.isTTY) await sleep(READING_MS);
      if (interrupt.aborted) return EXIT_CODES.interrupted;
      if (stdout.closed.aborted) return 0;
      verb.print(paint.bold(`$ ${line}`));
      const words = line.match(/"[^"]*"|\S+/g) ?? [];
      const [program, ...args] = words.map((word) => word.replaceAll('"', ''));
      const code = program === 'git' ? await showPatch(verb, args, context) : await run(args, context);
      if (code !== 0) return code;
    }
    verb.print('');
  }
  return 0;
}

/** What to type next: first what is missing for it. */
async function nextCommands({ context, manager }: Verb): Promise<string[]> {
  const { capture, cwd, env } = context;
  const isMissing = async (program: string): Promise<boolean> => {
    const args = ['-c', 'command -v "$1"', 'sh', program];
    return (await capture('/bin/sh', args, { cwd, env, timeoutMs: ANSWER_MS })).code !== 0;
  };
  // `npm run demo`, in a clone: nothing is installed by that.
  const isClone = env['npm_lifecycle_event'] === 'demo';
  const agents = (await manager.agentChoices()).filter(({ name }) => name !== 'demo');
  return [
    ...(isClone && (await isMissing('zwarm')) ? ['npm install -g .'] : []),
    ...(agents.some(({ found }) => found) ? [] : ['npm i -g @openai/codex', 'codex login']),
    'zwarm start "Find a bug and fix it"',
  ];
}

/** Plays the story of `zwarm demo` in a temporary directory, which it removes again, and says what to type next. */
export async function playDemo(verb: Verb): Promise<void> {
  // Caught from here on: whenever Ctrl-C comes, the agents are ended and the directory goes.
  const interrupt = verb.context.onInterrupt();
  const scratch = makeScratch(verb.context);
  // Ctrl-C is no matter of the commands: one that waits for an agent sees its end, and tells it.
  const context = { ...makeProject(verb.context, scratch), onInterrupt: () => new AbortController().signal };
  // Nobody waits for a word of this, unless it fails.
  const stdout = { ...context.stdout, write: () => undefined };
  const stderr = { ...context.stderr, isTTY: false };
  let ended = Promise.resolve(0);
  const endAgents = () => {
    const kill = ['kill', '--all', '--yes', '-q', '--grace', '1s'];
    ended = ended.then(() => run(kill, { ...context, stdout, stderr }));
    return ended;
  };
  interrupt.addEventListener('abort', endAgents, { once: true });
  let code: number;
  try {
    code = await play(verb, context, interrupt).catch((error) => {
      // It may reach git, too, before that has left the terminal.
      if (interrupt.aborted) return EXIT_CODES.interrupted;
      throw error;
    });
  } finally {
    // Also one that was being started when Ctrl-C came.
    await endAgents();
    await removeSettling(scratch);
  }
  if (interrupt.aborted) code = EXIT_CODES.interrupted;
  verb.exit(code);
  if (interrupt.aborted) await say(verb, 'The agents are ended, and all of it is removed.');
  if (code !== 0) return;
  await say(verb, FAREWELL);
  const { paint } = await verb.style('stdout');
  for (const line of await nextCommands(verb)) verb.print(paint.bold(`$ ${line}`));
}
