import { existsSync } from 'node:fs';
import { isReplaceable, lookUp } from './find-program.ts';
import { ask } from './run.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How much of what it prints is kept, in characters. */
const KEPT = 500;

/** The command by which the desktop shows a text. */
export function desktopCommand(text: string): readonly string[] {
  if (process.platform !== 'darwin') return ['notify-send', '--app-name=zwarm', '--', 'zwarm', text];
  const script = ['on run argv', 'display notification (item 1 of argv) with title "zwarm"', 'end run'];
  return ['osascript', ...script.flatMap((line) => ['-e', line]), text];
}

/**
 * The path of the program that the user has named. One that is only found on the PATH must not lie in any of these
 * projects, where an agent may have put it. @throws Error that says why there is none
 */
export function notifier(name: string, env: Environment, projects: readonly string[]): string {
  if (name.includes('/')) {
    const whole = name.startsWith('~/') ? `${env['HOME'] ?? ''}${name.slice(1)}` : name;
    if (!existsSync(whole)) throw new Error(`${whole} does not exist`);
    return whole;
  }
  const path = lookUp(name, env['PATH'] ?? '');
  if (path === null) throw new Error('it was not found on the PATH');
  const project = projects.find((root) => isReplaceable(path, root));
  if (project === undefined) return path;
  throw new Error(`${path} lies in ${project}, where an agent could have put it: name its whole path`);
}

/** What a program is given, and how long it may take. */
interface Given {
  readonly env: Environment;
  /** Where agents may have written. */
  readonly projects: readonly string[];
  readonly input: string;
  readonly timeoutMs: number;
}

/** Gives the user's program its input; what went wrong, in words, or null, and the end of what it printed. */
export async function runNotifier(
  [name = '', ...args]: readonly string[],
  { env, projects, input, timeoutMs }: Given,
): Promise<{ readonly problem: string | null; readonly output: string }> {
  try {
    const program = notifier(name, env, projects);
    const { code, stdout, stderr } = await ask(program, args, { cwd: '/', env, timeoutMs, input });
    const output = (stdout + stderr).trimEnd().slice(-KEPT);
    return { problem: code === 0 ? null : `it ended with exit code ${code}`, output };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), output: '' };
  }
}
