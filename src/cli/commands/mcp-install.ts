import { isAbsolute } from 'node:path';
import { EXIT_CODES, ZwarmError } from '../../core/errors.ts';
import { byHand, HOST_FILES, type Host, type HostEntry, hostFile, requireHost } from '../../hosts/hosts.ts';
import type { HostFile } from '../../manager/commands/mcp-install.ts';
import { safeLine } from '../../render/safe-text.ts';
import { confirm } from '../confirm.ts';
import type { CliContext, Verb } from '../context.ts';
import { defineVerb, flag, type Values, value } from '../define-verb.ts';

const OPTIONS = {
  host: value('--host <host>', HOST_FILES.map(([name]) => name).join(', ')),
  unattended: flag('--unattended', 'let the model start, continue and end agents without asking', ['remove']),
  remove: flag('--remove', 'take it out again'),
  print: flag('--print', 'only print what to paste, and change nothing', ['remove', 'json']),
  yes: flag('--yes', 'do not ask'),
  json: flag('--json', 'print {host, file, changed, removed} as JSON'),
};

type Options = Values<typeof OPTIONS>;

const UNATTENDED =
  'with --unattended the model starts, continues and ends agents without asking you, and they may write in your projects even where the model itself may only read';
const ABSOLUTE =
  'no zwarm of this installation is on your PATH, so the file gets absolute paths, which hold on this machine alone';

async function requireUser(context: CliContext, host: Host): Promise<void> {
  const { callerOf, USER } = await import('../../manager/access/caller.ts');
  if (callerOf({ env: context.env, client: null }).source === USER) return;
  throw new ZwarmError(
    'not_allowed',
    'an agent may not change what a host of agents starts',
    `let the user do it; this only prints what to paste: zwarm mcp install --host ${host.name} --print`,
  );
}

/** How this host is to start our server; tells the user on stderr what that implies. @throws ZwarmError `usage` */
async function entryFor(host: Host, context: CliContext, unattended: boolean): Promise<HostEntry> {
  const { ownProgram } = await import('../../manager/launch/own-program.ts');
  const server = ownProgram(context, ['mcp']);
  if (unattended && host.approvals !== null) {
    throw new ZwarmError(
      'usage',
      `--unattended cannot be written into the file of ${host.name}`,
      `leave it out; what may be called without asking is set ${host.approvals}`,
    );
  }
  const warnings = [
    unattended ? UNATTENDED : null,
    host.warning ?? null,
    host.shared && isAbsolute(server.command) ? ABSOLUTE : null,
  ];
  for (const warning of warnings) if (warning !== null) context.stderr.write(`zwarm: ${warning}\n`);
  return host.entry(server, unattended);
}

/** Shows the change, asks, and writes it; whether it was written. @throws ZwarmError `usage`, `io` */
async function write(
  verb: Verb,
  file: HostFile,
  text: string,
  { yes, json, host }: Options,
): Promise<boolean> {
  const { context } = verb;
  const { renderChange } = await import('../../render/change.ts');
  const { writeHostFile } = await import('../../manager/commands/mcp-install.ts');
  // With --json stdout is for the result alone.
  const stream = json ? 'stderr' : 'stdout';
  const style = await verb.style(stream);
  const shown = safeLine(file.real === file.path ? file.path : `${file.path} -> ${file.real}`);
  context[stream].write(`${style.paint.bold(shown)}\n${renderChange(file.text ?? '', text, style)}`);
  if (!(await confirm(context, `Write this to ${shown}?`, yes))) return false;
  writeHostFile(context, file, text, byHand(requireHost(host)));
  return true;
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
    if (!options.print) await requireUser(context, host);
    const entry = options.remove ? null : await entryFor(host, context, options.unattended);
    // Loaded only here: the parsers are large, and `zwarm mcp` starts without them.
    const { editHostText, snippet } = await import('../../hosts/edit.ts');
    if (entry !== null && options.print) return context.stdout.write(snippet(host, entry));
    const projectRoot = (await verb.manager()).project().checkout;
    const path = hostFile(host, { env: context.env, projectRoot });
    const { readHostFile } = await import('../../manager/commands/mcp-install.ts');
    const file = readHostFile(path, host.shared ? 'refused' : 'followed', context.uid, byHand(host));
    const after = editHostText(host, file.path, file.text ?? '', entry);
    const due = after !== (file.text ?? '');
    const changed = due && (await write(verb, file, after, options));
    if (due && !changed) {
      verb.exit(EXIT_CODES.failed);
      context.stderr.write('zwarm: nothing was changed\n');
    }
    if (changed) verb.hint(host.next);
    if (options.json) {
      verb.printJson({ host: host.name, file: file.path, changed, removed: changed && entry === null });
    } else if (!due) {
      context.stdout.write(
        `${safeLine(file.path)}: ${entry === null ? 'nothing to remove' : 'already there'}\n`,
      );
    }
  },
});
