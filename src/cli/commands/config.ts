import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { type Configuration, configFiles, loadConfiguration, type ProjectTrust } from '../../config/load.ts';
import { readUserText } from '../../config/read-text.ts';
import { isKey, KEYS, type Key } from '../../config/values.ts';
import { EXIT_CODES, ZwarmError } from '../../core/errors.ts';
import type { ConfigPlace } from '../../core/rules/policy.ts';
import { closest } from '../../core/suggest.ts';
import type { SessionManager } from '../../manager/session-manager.ts';
import { safeLine, safeText } from '../../render/safe-text.ts';
import { confirm } from '../confirm.ts';
import type { Verb } from '../context.ts';

interface JsonOption {
  readonly json?: boolean;
}

interface SetOptions {
  readonly unset?: boolean;
}

interface TrustOptions {
  readonly yes?: boolean;
}

const EXAMPLES = `
Keys: ${KEYS.join(', ')}.
A project's zwarm.toml may narrow what you allow, and never widen it; what it says in vain, "list" tells.

Examples:
  $ zwarm config list
  $ zwarm config set sandbox read-only
  $ zwarm config set allowed_dirs ~/code /srv/www
  $ zwarm config set allowed_dirs --unset
  $ zwarm config get max_depth
  $ zwarm config trust                       this project's choice of agent and model
  $ zwarm config trust ab3                   the record of a session that was moved or changed`;

type Value = Configuration['entries'][number]['value'];

/** A value as people write it; a list has a line for each. */
function linesOf(value: Value): readonly string[] {
  if (value === null) return [];
  return typeof value === 'object' ? value : [String(value)];
}

function requireKey(word: string): Key {
  if (isKey(word)) return word;
  const guess = closest(word, KEYS);
  throw new ZwarmError(
    'usage',
    `unknown key ${JSON.stringify(word)}`,
    guess === null ? `choose one of: ${KEYS.join(', ')}` : `did you mean ${guess}?`,
  );
}

async function placeOf(verb: Verb): Promise<ConfigPlace> {
  return { env: verb.context.env, projectRoot: (await verb.manager()).place().projectRoot };
}

async function load(verb: Verb): Promise<Configuration> {
  return loadConfiguration(await placeOf(verb));
}

function say(verb: Verb, text: string): void {
  verb.context.stderr.write(`${safeText(text)}\n`);
}

async function list(verb: Verb, options: JsonOption): Promise<void> {
  const { entries, ignored, notices, settings } = await load(verb);
  if (options.json) return verb.printJson({ entries, ignored, notices });
  const { stdout } = verb.context;
  const { renderEntries, renderEntryRows } = await import('../../render/config.ts');
  const rows = entries.map(({ key, value, origin }) => [key, linesOf(value).join(', '), origin] as const);
  stdout.write(stdout.isTTY ? await renderEntries(rows, await verb.style('stdout')) : renderEntryRows(rows));
  for (const notice of settings.notices) say(verb, notice);
}

async function get(verb: Verb, word: string, options: JsonOption): Promise<void> {
  const key = requireKey(word);
  const entry = (await load(verb)).entries.find((one) => one.key === key);
  if (options.json) return verb.printJson(entry);
  const lines = linesOf(entry?.value ?? null);
  verb.context.stdout.write(lines.map((line) => `${safeLine(line)}\n`).join(''));
}

/** The value that words on the command line stand for; null to have none. @throws ZwarmError `usage` */
async function requireValue(key: Key, words: readonly string[], unset: boolean) {
  const usage = (why: string) => new ZwarmError('usage', why, 'see zwarm config set --help');
  if (unset && words.length > 0) throw usage('a value and --unset exclude each other');
  if (unset) return null;
  if (words.length === 0) throw usage(`${key}: no value was given`);
  if (words.length > 1 && key !== 'allowed_dirs') throw usage(`${key} takes one value`);
  const { checked, fromWords, USER_RULES } = await import('../../config/schema.ts');
  return checked(USER_RULES, key, fromWords(key, words), usage);
}

async function set(verb: Verb, word: string, words: readonly string[], options: SetOptions): Promise<void> {
  const manager = await verb.manager();
  manager.requireUser();
  const key = requireKey(word);
  const value = await requireValue(key, words, options.unset ?? false);
  const { user } = configFiles(await placeOf(verb));
  if (user === null)
    throw new ZwarmError('usage', 'no home directory is known', 'set HOME to your home directory');
  const { withValue } = await import('../../config/edit.ts');
  const before = readUserText(user) ?? '';
  const after = withValue(user, before, key, value);
  if (after !== before) await manager.saveUserConfig(after);
  verb.hint(`${after === before ? 'nothing to change in' : 'changed'} ${safeLine(user)}`);
}

async function path(verb: Verb, options: JsonOption): Promise<void> {
  const files = configFiles(await placeOf(verb));
  const there = (file: string | null) => ({ path: file, exists: file !== null && existsSync(file) });
  const [user, project] = [there(files.user), there(files.project)];
  if (options.json) return verb.printJson({ user, project });
  for (const [name, file] of Object.entries({ user, project })) {
    const cells = [name, file.path ?? '', file.exists ? 'there' : 'not there'];
    verb.context.stdout.write(`${cells.map(safeLine).join('\t')}\n`);
  }
}

/** Asks, and says so where the answer was no. */
async function agreed(verb: Verb, question: string, options: TrustOptions): Promise<boolean> {
  if (await confirm(verb.context, question, options.yes)) return true;
  say(verb, 'nothing was changed');
  verb.exit(EXIT_CODES.failed);
  return false;
}

async function trustProject(
  verb: Verb,
  manager: SessionManager,
  { file, mark, trusted, values }: ProjectTrust,
  options: TrustOptions,
): Promise<void> {
  const chosen = Object.entries(values).filter(([, value]) => value !== undefined);
  if (chosen.length === 0) return verb.hint('it chooses no agent and no model: there is nothing to trust');
  if (trusted) return verb.hint('you trust it already, as it is now');
  say(verb, `${file} chooses, for sessions that ask for nothing else:`);
  for (const [key, value] of chosen) say(verb, `  ${key} = ${JSON.stringify(value)}`);
  if (!(await agreed(verb, 'Trust it as it is now?', options))) return;
  await manager.trustFile(mark);
  verb.context.stdout.write(`${safeLine(file)}\n`);
}

async function trust(verb: Verb, options: TrustOptions): Promise<void> {
  const manager = await verb.manager();
  manager.requireUser();
  const { trust: project } = await load(verb);
  if (project !== null) return trustProject(verb, manager, project, options);
  const { project: file } = configFiles(await placeOf(verb));
  throw new ZwarmError('usage', `there is no ${file}`, 'zwarm config path shows which files count');
}

/** `zwarm config` */
export function configCommand(command: Command, verb: Verb): Command {
  const sub = (name: string, description: string) => new Command(name).description(description);
  return command
    .helpCommand(false)
    .addHelpText('after', EXAMPLES)
    .addCommand(
      sub('list', 'every key with its value, and who says so')
        .option('--json', 'print {entries, ignored, notices} as JSON')
        .action((options: JsonOption) => list(verb, options)),
    )
    .addCommand(
      sub('get', 'the value of a key; of a list a line for each')
        .argument('<key>', KEYS.join(', '))
        .option('--json', 'print {key, value, origin} as JSON')
        .action((key: string, options: JsonOption) => get(verb, key, options)),
    )
    .addCommand(
      sub('set', 'change a key in your own file; comments stay as they are')
        .argument('<key>', KEYS.join(', '))
        .argument('[values...]', 'the value, for allowed_dirs one or more')
        .option('--unset', 'remove the key, so that it has its default')
        .action((key: string, values: string[], options: SetOptions) => set(verb, key, values, options)),
    )
    .addCommand(
      sub('path', "where your own file and the project's are")
        .option('--json', 'print {user, project} as JSON')
        .action((options: JsonOption) => path(verb, options)),
    )
    .addCommand(
      sub('trust', "show what the project's file chooses, and trust it as it is")
        .option('-y, --yes', 'without asking')
        .action((options: TrustOptions) => trust(verb, options)),
    );
}
