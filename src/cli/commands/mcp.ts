import type { Command } from 'commander';
import type { Verb } from '../context.ts';
import { mcpInstallCommand } from './mcp-install.ts';

const EXAMPLES = `
It speaks the Model Context Protocol on stdin and stdout, and ends when its client does; the agents that were started go
on. docs/orchestration.md has the tools.

Examples:
  $ zwarm mcp install --host codex
  $ zwarm mcp install --host claude --print`;

/** `zwarm mcp` */
export function mcpCommand(command: Command, verb: Verb): Command {
  return command
    .helpCommand(false)
    .addCommand(mcpInstallCommand(verb))
    .addHelpText('after', EXAMPLES)
    .action(async () => {
      // Once and for all: an agent could move away what the project is known by.
      const place = (await verb.manager()).place();
      await verb.context.serveTools((client) => verb.manager({ client, ...place }));
    });
}
