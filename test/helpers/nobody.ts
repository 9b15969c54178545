import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { installForAll } from './install.ts';
import { type Ended, eventually, runProgram } from './project.ts';
import { createShellProject, type ShellProject } from './shell-project.ts';

const NOBODY = 65_534;

/** A shell project that belongs to another user, as whom zwarm runs in it: permissions bind that one. For root alone. */
export interface ProjectOfNobody extends ShellProject {
  asNobody(...args: string[]): Promise<Ended>;
  /** Starts a session, which must succeed, and waits until its agent runs; its id. */
  beginAsNobody(prompt: string): Promise<string>;
}

export function createProjectOfNobody(): ProjectOfNobody {
  const project = createShellProject();
  const installed = installForAll(project.base, 'fixtures/shell-agent');
  for (const path of [project.base, project.directory, join(project.base, 'home'), join(project.base, 'tmp')])
    chownSync(path, NOBODY, NOBODY);
  const env = { ...project.env, ZWARM_CODEX_BIN: join(installed, 'fixtures/shell-agent') };
  const place = { cwd: project.directory, env, uid: NOBODY };
  const asNobody: ProjectOfNobody['asNobody'] = (...args) =>
    runProgram(process.execPath, [join(installed, 'bin/zwarm.js'), ...args], place);
  return {
    ...project,
    asNobody,
    async beginAsNobody(prompt) {
      const before = project.runs().length;
      const { code, stdout, stderr } = await asNobody('start', prompt);
      if (code !== 0) throw new Error(`start ended with ${code}: ${stderr}`);
      const id = stdout.trim();
      // Root may not act in the project of another user.
      onTestFinished(() => {
        for (const pid of project.marked(id)) process.kill(pid, 'SIGKILL');
      });
      await eventually('the agent runs', () => project.runs().length > before);
      return id;
    },
  };
}
