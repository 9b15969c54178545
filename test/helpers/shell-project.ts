import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProject, eventually, type OnFinished, processesWith, SHELL_AGENT } from './project.ts';

export type ShellProject = ReturnType<typeof createShellProject>;

/** A project whose codex is the shell agent: cheap enough to be run often. */
export function createShellProject(name?: string, finished?: OnFinished) {
  const project = createProject(name, finished);
  project.env['ZWARM_CODEX_BIN'] = SHELL_AGENT;
  return {
    ...project,
    /** The same as `zwarm`. */
    run: project.zwarm,
    /** Starts a session whose agent does as this prompt says, and waits until the agent runs; its id. */
    async begin(prompt: string): Promise<string> {
      const before = project.runs().length;
      const id = await project.start([prompt]);
      await eventually('the agent runs', () => project.runs().length > before);
      return id;
    },
    /** A file in the project's directory, waited for: what an agent wrote there with one `echo`. */
    written(name: string): Promise<string> {
      const path = join(project.directory, name);
      const read = (): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
      return eventually(`${name} is written`, () => read().endsWith('\n') && read().trimEnd());
    },
    /** The living processes of a session. */
    marked: (id: string) => processesWith(`ZWARM_SESSION_ID=${id}`),
  };
}

export { hasEnded } from './project.ts';
