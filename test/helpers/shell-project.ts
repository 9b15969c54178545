import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createProject,
  eventually,
  type OnFinished,
  type Project,
  processesWith,
  SHELL_AGENT,
} from './project.ts';

/** A project whose codex is the shell agent, in which this process runs zwarm: cheap enough to do so often. */
export interface ShellProject extends Project {
  /** The same as `zwarm`. */
  readonly run: Project['zwarm'];
  /** Starts a session whose agent does as this prompt says, and waits until the agent runs; its id. */
  begin(prompt: string): Promise<string>;
  /** A file in the project's directory, waited for: what an agent wrote there with one `echo`. */
  written(name: string): Promise<string>;
  /** The living processes of a session. */
  marked(id: string): number[];
}

export function createShellProject(name?: string, finished?: OnFinished): ShellProject {
  const project = createProject(name, finished);
  project.env['ZWARM_CODEX_BIN'] = SHELL_AGENT;
  return {
    ...project,
    run: project.zwarm,
    async begin(prompt) {
      const before = project.runs().length;
      const id = await project.start([prompt]);
      await eventually('the agent runs', () => project.runs().length > before);
      return id;
    },
    written(name) {
      const path = join(project.directory, name);
      const read = (): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
      return eventually(`${name} is written`, () => read().endsWith('\n') && read().trimEnd());
    },
    marked: (id) => processesWith(`ZWARM_SESSION_ID=${id}`),
  };
}

export { hasEnded } from './project.ts';
