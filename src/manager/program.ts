import type { AgentAdapter, CommandSpec } from '../agents/agent.ts';
import { findProgram } from '../process/find-program.ts';
import type { ManagerContext } from './context.ts';

/** An agent's program as it will be run: `args` come before the arguments of the turn. */
export interface Program {
  readonly path: string;
  readonly args: readonly string[];
  readonly version: string | null;
}

/** Looks an agent's program up, anew for every turn. @throws ZwarmError `agent_not_found`, `agent_not_executable` */
export async function programOf(context: ManagerContext, adapter: AgentAdapter): Promise<Program> {
  if (adapter.program.kind === 'embedded') {
    return { path: context.paths.node, args: [context.paths.demoAgent], version: null };
  }
  return { ...(await findProgram(adapter.program, context.env)), args: [] };
}

/** The whole argument list of a turn. */
export function argvOf(program: Program, command: CommandSpec): readonly string[] {
  return [...program.args, ...command.argv];
}
