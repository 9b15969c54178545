import { existsSync } from 'node:fs';
import { KEY_NAMES as KEYS, type Key } from '../../config/key-names.ts';
import type { ConfigFiles, Configuration } from '../../config/load.ts';
import { EXIT_CODES, usageError } from '../../core/errors.ts';
import type { ConfigPlace } from '../../core/rules/policy.ts';
import { safeLine, safeText } from '../../render/safe-text.ts';
import { confirm } from '../confirm.ts';
import type { Verb } from '../context.ts';
import { argument, defineVerb, flag } from '../define-verb.ts';
import { oneOf } from '../parsers.ts';

type Value = Configuration['entries'][number]['value'];

/** A value as people write it; a list has a line for each. */
function linesOf(value: Value): readonly string[] {
  if (value === null) return [];
  return typeof value === 'object' ? value : [String(value)];
}

async function placeOf(verb: Verb): Promise<ConfigPlace> {
  return { env: verb.context.env, projectRoot: (await verb.manager()).project().checkout };
}

async function load(verb: Verb): Promise<Configuration> {
  const { loadConfiguration } = await import('../../config/load.ts');
  return loadConfiguration(await placeOf(verb));
}

async function filesOf(verb: Verb): Promise<ConfigFiles> {
  const { configFiles } = await import('../../config/load.ts');
  return configFiles(await placeOf(verb));
}

function say(verb: Verb, text: string): void {
  verb.context.stderr.write(`${safeText(text)}\n`);
}

const JSON_OPTION = (what: string) => flag('--json', `print ${what} as JSON`);

const KEY = argument('<key>', KEYS.join(', '), oneOf('key', KEYS));

const list = defineVerb({
  name: 'list',
  summary: 'every key with its value, and where that comes from',
  options: { json: JSON_OPTION('{entries, ignored, notices}') },
  async run(verb, _args, { json }) {
    const { entries, ignored, notices, settings } = await load(verb);
    if (json) return verb.printJson({ entries, ignored, notices });
    const { stdout } = verb.context;
    const { renderEntries, renderEntryRows } = await import('../../render/config.ts');
    const rows = entries.map(({ key, value, origin }) => [key, linesOf(value).join(', '), origin] as const);
    stdout.write(
      stdout.isTTY ? await renderEntries(rows, await verb.style('stdout')) : renderEntryRows(rows),
    );
    for (const notice of settings.notices) say(verb, notice);
  },
});

const get = defineVerb({
  name: 'get',
  summary: 'the value of a key; a list has a line for each entry',
  args: { key: KEY },
  options: { json: JSON_OPTION('{key, value, origin}') },
  async run(verb, { key }, { json }) {
    const entry = (await load(verb)).entries.find((one) => one.key === key);
    if (json) return verb.printJson(entry);
    const lines = linesOf(entry?.value ?? null);
    verb.context.stdout.write(lines.map((line) => `${safeLine(line)}\n`).join(''));
  },
});

/** The value that words on the command line stand for; null to have none. @throws ZwarmError `usage` */
async function requireValue(key: Key, words: readonly string[], unset: boolean) {
  const usage = (why: string) => usageError(why, 'see zwarm config set --help');
  if (unset && words.length > 0) throw usage('a value and --unset exclude each other');
  if (unset) return null;
  if (words.length === 0) throw usage(`${key}: no value was given`);
  if (words.length > 1 && key !== 'allowed_dirs') throw usage(`${key} takes one value`);
  const { fromWords } = await import('../../config/keys.ts');
  return fromWords(key, words, usage);
}

const set = defineVerb({
  name: 'set',
  summary: 'change a key in your own file; comments stay as they are',
  args: { key: KEY, words: argument('[values...]', 'the value; several only for allowed_dirs') },
  options: { unset: flag('--unset', 'remove the key, so that it has its default') },
  async run(verb, { key, words }, { unset }) {
    const manager = await verb.manager();
    manager.requireUser();
    const value = await requireValue(key, words, unset);
    const { user } = await filesOf(verb);
    if (user === null) throw usageError('no home directory is known', 'set HOME to your home directory');
    const { withValue } = await import('../../config/edit.ts');
    const { readUserText } = await import('../../config/read-text.ts');
    const before = readUserText(user) ?? '';
    const after = withValue(user, before, key, value);
    if (after !== before) await manager.saveUserConfig(after);
    verb.hint(`${after === before ? 'nothing to change in' : 'changed'} ${safeLine(user)}`);
  },
});

const path = defineVerb({
  name: 'path',
  summary: "the paths of your own file and the project's",
  options: { json: JSON_OPTION('{user, project}') },
  async run(verb, _args, { json }) {
    const files = await filesOf(verb);
    const there = (file: string | null) => ({ path: file, exists: file !== null && existsSync(file) });
    const [user, project] = [there(files.user), there(files.project)];
    if (json) return verb.printJson({ user, project });
    for (const [name, file] of Object.entries({ user, project })) {
      const cells = [name, file.path ?? '', file.exists ? 'there' : 'not there'];
      verb.context.stdout.write(`${cells.map(safeLine).join('\t')}\n`);
    }
  },
});

const trust = defineVerb({
  name: 'trust',
  summary: "show the agent and model that the project's file chooses, and trust that choice",
  options: { yes: flag('-y, --yes', 'without asking') },
  async run(verb, _args, { yes }) {
    const manager = await verb.manager();
    manager.requireUser();
    const { trust: project } = await load(verb);
    if (project === null) {
      const { project: missing } = await filesOf(verb);
      throw usageError(`there is no ${missing}`, 'a project chooses its agent and model there');
    }
    const { file, mark, trusted, values } = project;
    const chosen = Object.entries(values).filter(([, value]) => value !== undefined);
    if (chosen.length === 0) return verb.hint('it chooses no agent and no model: there is nothing to trust');
    if (trusted) return verb.hint('you trust it already, as it is now');
    say(verb, `${file} chooses, for sessions that ask for nothing else:`);
    for (const [key, value] of chosen) say(verb, `  ${key} = ${JSON.stringify(value)}`);
    if (await confirm(verb.context, 'Trust it as it is now?', yes)) {
      await manager.trustFile(mark);
      verb.context.stdout.write(`${safeLine(file)}\n`);
    } else {
      say(verb, 'nothing was changed');
      verb.exit(EXIT_CODES.failed);
    }
  },
});

/** `zwarm config` */
export const config = defineVerb({
  name: 'config',
  summary: 'see and change the configuration, and trust that of a project',
  subcommands: [list, get, set, path, trust],
  notes: `
Keys: ${KEYS.join(', ')}.

A project's zwarm.toml may narrow what you allow, and never widen it; "list" names the lines that have no effect.`,
  examples: [
    'zwarm config list',
    'zwarm config set sandbox read-only',
    'zwarm config set allowed_dirs ~/code /srv/www',
    'zwarm config set allowed_dirs --unset',
    'zwarm config get max_depth',
    ['zwarm config trust', "this project's choice of agent and model"],
  ],
});
