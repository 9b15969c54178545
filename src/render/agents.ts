import type { AgentInfo } from '../core/agent-info.ts';
import type { Style } from './style.ts';
import type { Column } from './table.ts';
import { safeLine } from './text/safe-text.ts';

const yes = (flag: boolean | null): string => (flag === null ? '-' : flag ? 'yes' : 'no');

const sandboxOf = ({ sandbox, name }: AgentInfo): string =>
  name === 'demo' ? '-' : sandbox === 'agent' ? 'its own' : (sandbox ?? 'none');

/** What a list tells of an agent, in the order of its columns; neutralised. */
export function agentRow(agent: AgentInfo): readonly string[] {
  const { name, default: isDefault, found, version, logged_in: login, fork, cost } = agent;
  return [
    isDefault ? `${name} *` : name,
    found ? safeLine(version ?? '-') : 'not found',
    found ? yes(login) : '-',
    sandboxOf(agent),
    yes(fork),
    yes(cost),
  ];
}

const HEADS = ['AGENT', 'VERSION', 'LOGIN', 'SANDBOX', 'FORK', 'COST'];

/** The columns of a list of agents; the default one is marked. */
export function agentColumns(agents: readonly AgentInfo[], { paint }: Style): readonly Column[] {
  const rows = agents.map(agentRow);
  const colours: Readonly<Record<string, (cell: string) => string>> = {
    'not found': paint.dim,
    none: paint.magenta,
    no: paint.dim,
  };
  return HEADS.map((head, i) => ({
    head,
    cells: rows.map((row) => row[i] ?? ''),
    paint: (cell) => (colours[cell.trim()] ?? String)(cell),
  }));
}
