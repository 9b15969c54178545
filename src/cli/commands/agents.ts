import { defineVerb, flag } from '../define-verb.ts';

/** `zwarm agents` */
export const agents = defineVerb({
  name: 'agents',
  summary: 'list the agents, and what each can do here',
  options: { json: flag('--json', 'print them as JSON') },
  notes: `
Each with its version, whether anybody is logged in, what keeps it within a sandbox, and whether its conversations can be
forked and its costs are known. "start" takes the configured one, else the first that is found.`,
  examples: [
    'zwarm agents',
    `zwarm agents --json | jq -r '.[] | select(.found) | .name'`,
    ['zwarm config set agent claude', 'the agent of start without -a'],
  ],
  async run(verb, _args, { json }) {
    const all = await verb.manager.agents();
    if (json) return verb.printJson(all);
    const { agentColumns, agentRow } = await import('../../render/agents.ts');
    const { stdout } = verb.context;
    if (!stdout.isTTY) {
      for (const one of all) verb.print(agentRow(one).join('\t'));
      return;
    }
    const { renderTable } = await import('../../render/table.ts');
    const style = await verb.style('stdout');
    stdout.write(renderTable(agentColumns(all, style), style));
    for (const { found, name, hint } of all) if (!found && hint !== null) verb.hint(`${name}: ${hint}`);
  },
});
