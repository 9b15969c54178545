import { defineVerb } from '../define-verb.ts';
import { mcpInstall } from './mcp-install.ts';

/** `zwarm mcp` */
export const mcp = defineVerb({
  name: 'mcp',
  summary: 'give a language model the tools to run sessions',
  subcommands: [mcpInstall],
  notes: `
The host of a model, such as Codex or Claude Code, starts this by itself once you have typed zwarm mcp install.

It speaks the Model Context Protocol on stdin and stdout, and ends when its client does; the agents that were started
continue. docs/orchestration.md describes the tools.`,
  examples: ['zwarm mcp install --host codex', 'zwarm mcp install --host claude --print'],
  async run(verb) {
    const { manager, namesProject } = verb;
    // Once and for all: an agent could move away what the project is known by.
    const started = { project: manager.project() };
    const choose = async (roots: () => Promise<readonly string[]>) => {
      if (namesProject) return started;
      const { place, notices } = await manager.servedPlace(roots);
      for (const notice of notices) verb.warn(`mcp ${notice}`);
      return place ?? started;
    };
    // Where the configuration cannot be read, each call that needs it says so.
    const mayLand = await manager.settings().then(
      ({ policy }) => policy.allowLand,
      () => false,
    );
    let place: ReturnType<typeof choose> | null = null;
    await verb.context.serveTools(
      async (client, roots) => {
        place ??= choose(roots);
        return verb.managerFor({ client: `mcp:${client}`, ...(await place) });
      },
      { agents: await manager.agentChoices(), mayLand },
    );
  },
});
