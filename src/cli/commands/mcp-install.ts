import { defineVerb, flag, value } from '../define-verb.ts';

/** `zwarm mcp install` */
export const mcpInstall = defineVerb({
  name: 'install',
  summary: 'have a host of language models start `zwarm mcp`',
  options: {
    host: value('--host <host>', 'codex, claude or cursor'),
    unattended: flag('--unattended', 'let the model start, continue and end agents without asking', [
      'remove',
    ]),
    remove: flag('--remove', 'take it out again'),
    print: flag('--print', 'only print what to paste, and change nothing', ['remove', 'json']),
    yes: flag('--yes', 'do not ask'),
    json: flag('--json', 'print {host, file, changed, removed} as JSON'),
  },
  notes: `
Shows what would change in the host's configuration, and asks before it is written. The rest of it stays as it is:
  codex    config.toml in CODEX_HOME or ~/.codex
  claude   .mcp.json in the root of this project, which others get with it
  cursor   ~/.cursor/mcp.json

The model may look at sessions without asking. Before it starts, continues or ends one the host asks you, and codex exec,
which cannot ask, cancels the call. --unattended lets it do so without asking, where the host's file can say that (codex):
then agents write in your projects even for a model that may itself only read.`,
  examples: [
    'zwarm mcp install --host codex',
    'zwarm mcp install --host codex --unattended',
    'zwarm mcp install --host claude --print',
    'zwarm mcp install --host cursor --remove',
  ],
  async run(verb, _args, options) {
    const { installHost } = await import('../install-host.ts');
    await installHost(verb, options);
  },
});
