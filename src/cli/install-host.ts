import { isAbsolute } from 'node:path';
import type { HostEntry } from '../config/host-format.ts';
import { byHand, editHostText, type Host, requireHost } from '../config/hosts.ts';
import { EXIT_CODES, ZwarmError } from '../core/errors.ts';
import { callerOf, USER } from '../manager/caller.ts';
import { type HostFile, readHostFile, writeHostFile } from '../manager/host-file.ts';
import { ownProgram } from '../manager/own-program.ts';
import { renderChange } from '../render/change.ts';
import { safeLine } from '../render/safe-text.ts';
import { confirm } from './confirm.ts';
import type { CliContext, Verb } from './context.ts';

/** What `zwarm mcp install` was asked for. */
export interface InstallOptions {
  readonly host: string | undefined;
  readonly unattended: boolean;
  readonly remove: boolean;
  readonly print: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

function requireUser(context: CliContext, host: Host): void {
  if (callerOf({ env: context.env, client: null }).source === USER) return;
  throw new ZwarmError(
    'not_allowed',
    'an agent may not change what a host of agents starts',
    `let the user do it; this only prints what to paste: zwarm mcp install --host ${host.name} --print`,
  );
}

/** Shows the change, asks, and writes it; whether it was written. @throws ZwarmError `usage`, `io` */
async function write(
  verb: Verb,
  host: Host,
  file: HostFile,
  text: string,
  { yes, json }: InstallOptions,
): Promise<boolean> {
  const { context } = verb;
  // With --json stdout is for the result alone.
  const stream = json ? 'stderr' : 'stdout';
  const style = await verb.style(stream);
  const place = safeLine(file.real === file.path ? file.path : `${file.path} -> ${file.real}`);
  context[stream].write(`${style.paint.bold(place)}\n${renderChange(file.text ?? '', text, style)}`);
  if (!(await confirm(context, `Write this to ${place}?`, yes))) return false;
  writeHostFile(context, file, text, byHand(host));
  return true;
}

const UNATTENDED =
  'with --unattended the model starts, continues and ends agents without asking you, and they may write in your projects even where the model itself may only read';

/** How this host is to start our server; says what is to be known of that before it is agreed to. @throws ZwarmError */
function entryFor(host: Host, context: CliContext, unattended: boolean): HostEntry {
  const server = ownProgram(context, ['mcp']);
  if (unattended && host.approvals !== null) {
    throw new ZwarmError(
      'usage',
      `--unattended cannot be written into the file of ${host.name}`,
      `leave it out; what may be called without asking is set ${host.approvals}`,
    );
  }
  if (unattended) context.stderr.write(`zwarm: ${UNATTENDED}\n`);
  if (host.shared && isAbsolute(server.command)) {
    context.stderr.write(
      'zwarm: no zwarm of this installation is on your PATH, so the file gets absolute paths, which hold on this machine alone\n',
    );
  }
  return host.entry(server, unattended);
}

/** The host's file, as it is. */
async function fileOf(host: Host, verb: Verb): Promise<HostFile> {
  const { env, uid } = verb.context;
  const projectRoot = (await verb.manager()).place().projectRoot;
  const links = host.shared ? 'refused' : 'followed';
  return readHostFile(host.file({ env, projectRoot }), links, uid, byHand(host));
}

/** Has a host start our server, or no longer, when its user agrees. @throws ZwarmError */
export async function installHost(verb: Verb, options: InstallOptions): Promise<void> {
  const { context } = verb;
  const host = requireHost(options.host);
  if (!options.print) requireUser(context, host);
  const entry = options.remove ? null : entryFor(host, context, options.unattended);
  if (entry !== null && options.print) return context.stdout.write(host.format.snippet(entry));
  const file = await fileOf(host, verb);
  const text = file.text ?? '';
  const after = await editHostText(host, file.path, text, entry);
  const due = after !== text;
  const changed = due && (await write(verb, host, file, after, options));
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
}
