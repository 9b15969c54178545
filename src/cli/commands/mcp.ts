import { defineVerb } from '../define-verb.ts';
import { mcpInstall } from './mcp-install.ts';

/** `zwarm mcp` */
export const mcp = defineVerb({
  name: 'mcp',
  summary: 'give a language model the tools to run sessions',
  subcommands: [mcpInstall],
  notes: `
Speaks the Model Context Protocol on stdin and stdout, and ends when its client does; the agents that were started
continue. docs/orchestration.md describes the tools.`,
  examples: ['zwarm mcp install --host codex', 'zwarm mcp install --host claude --print'],
  async run(verb) {
    // Once and for all: an agent could move away what the project is known by.
    const project = verb.manager.project();
    await verb.context.serveTools(async (client) => verb.managerFor({ client, project }));
  },
});
