import type { AgentAdapter } from '../../agents/agent.ts';
import type { Account } from '../../store/holds.ts';
import type { ManagerContext } from '../context.ts';

/** The account that an agent uses in an environment: it is known by where the agent keeps its conversations. */
export function accountIn(env: ManagerContext['env'], { name, history }: AgentAdapter): Account {
  return { agent: name, account: history?.directory(env) ?? '' };
}
