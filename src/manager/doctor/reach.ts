import { realpathSync } from 'node:fs';
import { requireAgent } from '../../agents/registry.ts';
import { type Finding, finding } from '../../core/check.ts';
import { requireOutOfReach } from '../access/reach.ts';
import type { ManagerContext } from '../context.ts';

/** Whether an agent that would be started here now could write to the state directory. */
export async function checkReach(context: ManagerContext): Promise<Finding> {
  const working_dir = realpathSync(context.cwd);
  const turn = { working_dir, sandbox: 'workspace-write', agent_args: [] } as const;
  // Of all agents it is Codex that confines itself.
  await requireOutOfReach(context, requireAgent('codex'), turn);
  return finding('ok', 'no agent in the sandbox workspace-write can write to the state directory');
}
