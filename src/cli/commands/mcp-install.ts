import { isAbsolute } from 'node:path';
import { EXIT_CODES, usageError, ZwarmError } from '../../core/errors.ts';
import { byHand, HOST_FILES, type Host, type HostEntry, hostFile, requireHost } from '../../hosts/hosts.ts';
import { safeLine } from '../../render/safe-text.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, value } from '../define-verb.ts';

const OPTIONS = {
  host: value('--host <host>', HOST_FILES.map(([name]) => name).join(', ')),
  unattended: flag('--unattended', 'let the model start, continue and end agents without asking', ['remove']),
  remove: flag('--remove', 'take it out again'),
  print: flag('--print', 'only print what to paste, and change nothing', ['remove', 'json']),
  yes: flag('--yes', 'do not ask'),
  json: flag('--json', 'print {host, file, changed, removed} as JSON'),
};

const UNATTENDED =
  'with --unattended the model starts, continues and ends agents without asking you, and they may write in your projects even where the model itself may only read';
const ABSOLUTE =
  'no zwarm of this installation is on your PATH, so the file gets absolute paths, which hold on this machine alone';

/** How this host is to start our server; tells the user on stderr what that implies. @throws ZwarmError `usage` */
async function entryFor(host: Host, verb: Verb, unattended: boolean): Promise<HostEntry> {
  const { ownProgram } = await import('../../manager/commands/mcp-install.ts');
  const server = ownProgram(verb.context, ['mcp']);
  if (unattended && host.approvals !== null) {
    throw usageError(
      `--unattended cannot be written into the file of ${host.name}`,
      `leave it out; what may be called without asking is set ${host.approvals}`,
    );
  }
  if (unattended) verb.warn(UNATTENDED);
  if (host.warning !== undefined) verb.warn(host.warning);
  if (host.shared && isAbsolute(server.command)) verb.warn(ABSOLUTE);
  return host.entry(server, unattended);
}

/** `zwarm mcp install` */
export const mcpInstall = defineVerb({
  name: 'install',
  summary: 'have a host of language models start `zwarm mcp`',
  options: OPTIONS,
  notes: `
Shows what would change in the host's configuration, and asks before it is written. The rest of it stays as it is:
${HOST_FILES.map(([name, where]) => `  ${name.padEnd(9)} ${where}`).join('\n')}

The model may look at sessions without asking. Before it starts, continues or ends one the host asks you; codex exec, which
cannot ask, cancels the call, and opencode asks only if its own configuration says so. --unattended lets the model do it
without asking, where the host's entry can say that (codex, gemini, qwen): then agents write in your projects even for a
model that may itself only read.`,
  examples: [
    'zwarm mcp install --host codex',
    'zwarm mcp install --host codex --unattended',
    'zwarm mcp install --host claude --print',
    'zwarm mcp install --host cursor --remove',
  ],
  async run(verb, _args, options) {
    const { context } = verb;
    const host = requireHost(options.host);
    const { manager } = verb;
    if (!options.print && manager.caller().source !== 'user')
      throw new ZwarmError(
        'not_allowed',
        'an agent may not change what a host of agents starts',
        `let the user do it; this only prints what to paste: zwarm mcp install --host ${host.name} --print`,
      );
    const entry = options.remove ? null : await entryFor(host, verb, options.unattended);
    // Loaded only here: the parsers are large, and `zwarm mcp` starts without them.
    const { editHostText } = await import('../../hosts/edit.ts');
    if (options.print) return context.stdout.write(editHostText(host, '', '', entry));
    const projectRoot = manager.project().checkout;
    const path = hostFile(host, { env: context.env, projectRoot });
    const { readHostFile, writeHostFile } = await import('../../manager/commands/mcp-install.ts');
    const file = readHostFile(path, host.shared ? 'refused' : 'followed', context.uid, byHand(host));
    const after = editHostText(host, file.path, file.text ?? '', entry);
    const due = after !== (file.text ?? '');
    let changed = false;
    if (due) {
      // With --json stdout is for the result alone.
      const stream = options.json ? 'stderr' : 'stdout';
      const { renderChange } = await import('../../render/change.ts');
      const style = await verb.style(stream);
      const shown = safeLine(file.real === file.path ? file.path : `${file.path} -> ${file.real}`);
      context[stream].write(`${style.paint.bold(shown)}\n${renderChange(file.text ?? '', after, style)}`);
      changed = await verb.confirm(`Write this to ${shown}?`, options.yes);
      if (changed) writeHostFile(context, file, after, byHand(host));
      else verb.warn('nothing was changed');
      if (changed) verb.hint(host.next);
      else verb.exit(EXIT_CODES.failed);
    }
    const removed = changed && entry === null;
    if (options.json) verb.printJson({ host: host.name, file: file.path, changed, removed });
    else if (!due)
      verb.print(`${safeLine(file.path)}: ${entry === null ? 'nothing to remove' : 'already there'}`);
  },
});
