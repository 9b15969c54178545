import type { AgentAdapter } from '../../agents/agent.ts';
import { findProgram } from '../../process/find-program.ts';
import { projectOf } from '../../store/git.ts';
import type { ManagerContext } from '../context.ts';

/** An agent's program as it will be run: `args` come before the arguments of the turn. */
export interface Program {
  readonly path: string;
  readonly args: readonly string[];
  readonly version: string | null;
}

/** Finds an agent's program, for every turn anew; `workingDir` is a real path. @throws ZwarmError as `findProgram` */
export async function programOf(
  { env, paths }: ManagerContext,
  { program }: AgentAdapter,
  workingDir: string,
): Promise<Program> {
  if (program.kind === 'embedded') return { path: paths.node, args: [paths.demoAgent], version: null };
  return { ...(await findProgram(program, env, projectOf(workingDir))), args: [] };
}
