import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statOf } from '../../src/process/identity.ts';
import { onScreen, type Screen, type ScreenOptions } from './context.ts';
import { createProject, eventually, type Project, processesWith, SHELL_AGENT } from './project.ts';

/** A project whose codex is the shell agent, in which this process runs zwarm: cheap enough to do so often. */
export interface ShellProject extends Project {
  run(args: readonly string[], options?: ScreenOptions): Promise<Screen>;
  /** Starts a session whose agent does as this prompt says, and waits until the agent runs; its id. */
  begin(prompt: string): Promise<string>;
  /** A file in the project's directory, waited for: what an agent wrote there with one `echo`. */
  written(name: string): Promise<string>;
  /** The living processes of a session. */
  marked(id: string): number[];
}

export function createShellProject(): ShellProject {
  const project = createProject();
  project.env['ZWARM_CODEX_BIN'] = SHELL_AGENT;
  const run: ShellProject['run'] = (args, options) => onScreen(project, args, options);
  return {
    ...project,
    run,
    async begin(prompt) {
      const before = project.runs().length;
      const { code, stdout, stderr } = await run(['start', prompt]);
      if (code !== 0) throw new Error(`start ended with ${code}: ${stderr}`);
      await eventually('the agent runs', () => project.runs().length > before);
      return stdout.trim();
    },
    written(name) {
      const path = join(project.directory, name);
      const read = (): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
      return eventually(`${name} is written`, () => read().endsWith('\n') && read().trimEnd());
    },
    marked: (id) => processesWith(`ZWARM_SESSION_ID=${id}`),
  };
}

/** Whether a process has ended; a zombie has. */
export function hasEnded(pid: number): boolean {
  return statOf(pid)?.dead ?? true;
}
