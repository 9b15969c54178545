import { isAbsolute } from 'node:path';
import { usageError, ZwarmError } from '../../core/errors.ts';
import { isWithin } from '../../core/path.ts';
import { HOST_FILES } from '../../hosts/host-files.ts';
import type { Host, HostEntry } from '../../hosts/hosts.ts';
import { safeLine } from '../../render/text/safe-text.ts';
import { confirm } from '../ask-first.ts';
import { YES } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { text } from '../parsers.ts';

const HOSTS = HOST_FILES.map(([name]) => name);

const OPTIONS = {
  host: value('--host <host>', HOSTS.join(', '), text({ words: HOSTS })),
  unattended: flag('--unattended', 'let the model start, continue and end agents without asking', ['remove']),
  remove: flag('--remove', 'take it out again'),
  print: flag('--print', 'only print what to paste, and change nothing', ['remove', 'json']),
  yes: YES,
  json: flag('--json', 'print {host, file, changed, removed} as JSON'),
};

const UNATTENDED =
  'with --unattended the model starts, continues and ends agents without asking you, and they may write in your projects even where the model itself may only read';
const ABSOLUTE =
  'no zwarm of this installation is on your PATH, so the file gets absolute paths, which hold on this machine alone';
const IGNORED = 'git ignores the file: it is for you alone';
const NOT_IGNORED = 'git does not ignore the file: whoever gets your commits gets it, too';

/**
 * How this host is to start our server; tells the user on stderr what that implies.
 * @param file that will have the entry, or null @throws ZwarmError `usage`
 */
async function entryFor(
  host: Host,
  verb: Verb,
  unattended: boolean,
  file: string | null,
): Promise<HostEntry> {
  const { isIgnored, ownServer } = await import('../../manager/commands/mcp-install.ts');
  const server = ownServer(verb.context);
  if (unattended && host.approvals !== null) {
    throw usageError(
      `--unattended cannot be written into the file of ${host.name}`,
      `leave it out; what may be called without asking is set ${host.approvals}`,
    );
  }
  if (unattended) verb.warn(UNATTENDED);
  if (host.warning !== undefined) verb.warn(host.warning);
  if (!host.shared) return host.entry(server, unattended);
  const ignored = file === null ? null : await isIgnored(verb.context, verb.manager.project(), file);
  const isOfMachine = isAbsolute(server.command);
  if (isOfMachine) verb.warn(ABSOLUTE);
  if (ignored !== null) verb[isOfMachine ? 'warn' : 'hint'](ignored ? IGNORED : NOT_IGNORED);
  return host.entry(server, unattended);
}

/** `zwarm mcp install` */
export const mcpInstall = defineVerb({
  name: 'install',
  summary: 'set up zwarm mcp in a host, such as Codex',
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
    const { byHand, hostFile, requireHost } = await import('../../hosts/hosts.ts');
    const host = requireHost(options.host);
    const { manager } = verb;
    if (!options.print && manager.caller().source !== 'user')
      throw new ZwarmError(
        'not_allowed',
        'an agent may not change what a host of agents starts',
        `let the user do it; this only prints what to paste: zwarm mcp install --host ${host.name} --print`,
      );
    const projectRoot = manager.project().checkout;
    const place = { env: context.env, projectRoot };
    const path = options.print ? null : hostFile(host, place);
    const entry = options.remove ? null : await entryFor(host, verb, options.unattended, path);
    // Loaded only here: the parsers are large, and `zwarm mcp` starts without them.
    const { editHostText } = await import('../../hosts/edit.ts');
    if (path === null) return context.stdout.write(editHostText(host, '', '', entry));
    const { readHostFile, writeHostFile } = await import('../../manager/commands/mcp-install.ts');
    const edit = (path: string) => {
      const links = host.shared && isWithin(path, projectRoot) ? 'refused' : 'followed';
      const file = readHostFile(context, path, links, byHand(host));
      const after = editHostText(host, file.path, file.text ?? '', entry);
      return { file, after, due: after !== (file.text ?? '') };
    };
    const edits = (options.remove ? host.files(place) : []).map(edit);
    const { file, after, due } = edits.find((one) => one.due) ?? edit(path);
    let changed = false;
    if (due) {
      // With --json stdout is for the result alone.
      const stream = options.json ? 'stderr' : 'stdout';
      const { renderChange } = await import('../../render/change.ts');
      const style = await verb.style(stream);
      const shown = safeLine(file.real === file.path ? file.path : `${file.path} -> ${file.real}`);
      context[stream].write(`${style.paint.bold(shown)}\n${renderChange(file.text ?? '', after, style)}`);
      changed = await confirm(verb, `Write this to ${shown}?`, options.yes);
      if (changed) {
        writeHostFile(context, file, after, byHand(host));
        verb.hint(host.next);
      }
    }
    const removed = changed && entry === null;
    if (options.json) verb.printJson({ host: host.name, file: file.path, changed, removed });
    else if (!due)
      verb.print(`${safeLine(file.path)}: ${entry === null ? 'nothing to remove' : 'already there'}`);
  },
});
