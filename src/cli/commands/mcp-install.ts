import { Command, Option } from 'commander';
import type { Verb } from '../context.ts';
import type { InstallOptions } from '../install-host.ts';

const EXAMPLES = `
Shows what would change in the host's configuration, and asks before it is written. The rest of it stays as it is:
  codex    config.toml in CODEX_HOME or ~/.codex
  claude   .mcp.json in the root of this project, which others get with it
  cursor   ~/.cursor/mcp.json

The model may look at sessions without asking. Before it starts, continues or ends one the host asks you, and codex exec,
which cannot ask, cancels the call. --unattended lets it do so without asking, where the host's file can say that (codex):
then agents write in your projects even for a model that may itself only read.

Examples:
  $ zwarm mcp install --host codex
  $ zwarm mcp install --host codex --unattended
  $ zwarm mcp install --host claude --print
  $ zwarm mcp install --host cursor --remove`;

/** `zwarm mcp install` */
export function mcpInstallCommand(verb: Verb): Command {
  return new Command('install')
    .description('have a host of language models start `zwarm mcp`')
    .option('--host <host>', 'codex, claude or cursor')
    .addOption(
      new Option('--unattended', 'let the model start, continue and end agents without asking').conflicts(
        'remove',
      ),
    )
    .option('--remove', 'take it out again')
    .addOption(
      new Option('--print', 'only print what to paste, and change nothing').conflicts(['remove', 'json']),
    )
    .option('--yes', 'do not ask')
    .option('--json', 'print {host, file, changed, removed} as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: InstallOptions) => {
      const { installHost } = await import('../install-host.ts');
      await installHost(verb, options);
    });
}
