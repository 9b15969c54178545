import type { AgentAdapter, CommandSpec } from '../../agents/agent.ts';
import { findProgram } from '../../process/find-program.ts';
import { gitStateOf } from '../../store/git.ts';
import type { SessionRecord } from '../../store/records.ts';
import { requireOutOfReach } from '../access/reach.ts';
import type { ManagerContext } from '../context.ts';
import { requireRepository } from './preconditions.ts';

/** The project that an agent works in: the repository around its directory (a real path), or that directory. */
export function projectOf(workingDir: string): string {
  return gitStateOf(workingDir)?.root ?? workingDir;
}

/** An agent's program as it will be run: `args` come before the arguments of the turn. */
export interface Program {
  readonly path: string;
  readonly args: readonly string[];
  readonly version: string | null;
}

/**
 * Finds an agent's program, for every turn anew. `workingDir` is a real path.
 * @throws ZwarmError `agent_not_found`, `agent_not_executable`, `program_unsafe`
 */
export async function programOf(
  context: ManagerContext,
  adapter: AgentAdapter,
  workingDir: string,
): Promise<Program> {
  if (adapter.program.kind === 'embedded') {
    return { path: context.paths.node, args: [context.paths.demoAgent], version: null };
  }
  return { ...(await findProgram(adapter.program, context.env, projectOf(workingDir))), args: [] };
}

/** The whole argument list of a turn. */
export function argvOf(program: Program, command: CommandSpec): readonly string[] {
  return [...program.args, ...command.argv];
}

/**
 * The program for a turn that is about to be claimed, once nothing else is in its way: its agent finds the repository
 * that it insists on, and cannot write to the state directory.
 * @param elsewise what else to type outside of git
 * @throws ZwarmError `usage`, `state_reachable`, `agent_not_found`, `agent_not_executable`, `program_unsafe`
 */
export async function requireProgram(
  context: ManagerContext,
  adapter: AgentAdapter,
  record: SessionRecord,
  elsewise = '',
): Promise<Program> {
  requireRepository(adapter, record, elsewise);
  await requireOutOfReach(context, adapter, record);
  return programOf(context, adapter, record.working_dir);
}
