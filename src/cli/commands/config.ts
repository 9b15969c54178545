import { existsSync } from 'node:fs';
import { KEY_NAMES as KEYS } from '../../config/key-names.ts';
import type { Configuration } from '../../config/load.ts';
import { usageError } from '../../core/errors.ts';
import { safeLine, safeText } from '../../render/text/safe-text.ts';
import { confirm } from '../ask-first.ts';
import { YES } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { argument, defineVerb, flag } from '../define-verb.ts';
import { oneOf, text } from '../parsers.ts';

function linesOf(value: Configuration['entries'][number]['value']): readonly string[] {
  if (value === null) return [];
  return typeof value === 'object' ? value : [String(value)];
}

/** The configuration where the verb runs, and the files that it is read from. */
async function configOf(verb: Verb) {
  const { configFiles, loadConfiguration } = await import('../../config/load.ts');
  const place = { env: verb.context.env, projectRoot: verb.manager.project().checkout };
  return { files: configFiles(place), load: () => loadConfiguration(place) };
}

const KEY = argument('<key>', KEYS.join(', '), oneOf('key', KEYS));

const list = defineVerb({
  name: 'list',
  summary: 'list every key with its value, and where that comes from',
  options: { json: flag('--json', 'print {entries, ignored, notices} as JSON') },
  async run(verb, _args, { json }) {
    const { entries, ignored, notices, settings } = await (await configOf(verb)).load();
    if (json) return verb.printJson({ entries, ignored, notices });
    const { stdout, stderr } = verb.context;
    const rows = entries.map(({ key, value, origin }) =>
      [key, linesOf(value).join(', '), origin].map(safeLine),
    );
    if (stdout.isTTY) {
      const { renderTable } = await import('../../render/table.ts');
      const style = await verb.style('stdout');
      const cells = (at: number) => rows.map((row) => row[at] ?? '');
      const columns = [
        { head: 'KEY', cells: cells(0) },
        { head: 'VALUE', cells: cells(1), least: 12 },
        { head: 'ORIGIN', cells: cells(2) },
      ];
      stdout.write(renderTable(columns, style));
    } else for (const cells of rows) verb.print(cells.join('\t'));
    for (const notice of settings.notices) stderr.write(`${safeText(notice)}\n`);
  },
});

const get = defineVerb({
  name: 'get',
  summary: 'print the value of a key; a list has a line for each entry',
  args: { key: KEY },
  options: { json: flag('--json', 'print {key, value, origin} as JSON') },
  async run(verb, { key }, { json }) {
    const { entries } = await (await configOf(verb)).load();
    const entry = entries.find((one) => one.key === key);
    if (json) return verb.printJson(entry);
    for (const line of linesOf(entry?.value ?? null)) verb.print(safeLine(line));
  },
});

const set = defineVerb({
  name: 'set',
  summary: 'change a key in your own file; comments stay as they are',
  args: { key: KEY, words: argument('[values...]', 'the value; several only for a list', text()) },
  options: { unset: flag('--unset', 'remove the key, so that it has its default') },
  async run(verb, { key, words }, { unset }) {
    const { manager } = verb;
    manager.requireUser();
    const usage = (why: string) => usageError(why, 'see zwarm config set --help');
    if (unset && words.length > 0) throw usage('a value and --unset exclude each other');
    if (!unset && words.length === 0) throw usage(`${key}: no value was given`);
    const { fromWords, takesWords } = await import('../../config/keys.ts');
    if (words.length > 1 && !takesWords(key)) throw usage(`${key} takes one value`);
    const value = unset ? null : fromWords(key, words, usage);
    const { user } = (await configOf(verb)).files;
    if (user === null) throw usageError('no home directory is known', 'set HOME to your home directory');
    const { readUserText, withFile } = await import('../../config/read-text.ts');
    const { patchToml } = await import('../../core/toml/patch.ts');
    const before = readUserText(user) ?? '';
    const after = withFile(user, () => patchToml(before, [key], value));
    if (after !== before) await manager.saveUserConfig(after);
    verb.hint(`${after === before ? 'nothing to change in' : 'changed'} ${safeLine(user)}`);
  },
});

const path = defineVerb({
  name: 'path',
  summary: "print the paths of your own file and the project's",
  options: { json: flag('--json', 'print {user, project} as JSON') },
  async run(verb, _args, { json }) {
    const { files } = await configOf(verb);
    const there = (file: string | null) => ({ path: file, exists: file !== null && existsSync(file) });
    const [user, project] = [there(files.user), there(files.project)];
    if (json) return verb.printJson({ user, project });
    for (const [name, file] of Object.entries({ user, project }))
      verb.print(`${name}\t${safeLine(file.path ?? '')}\t${file.exists ? 'there' : 'not there'}`);
  },
});

const trust = defineVerb({
  name: 'trust',
  summary: "show the agent, model and setup that the project's file chooses, and trust that choice",
  options: { yes: YES },
  async run(verb, _args, { yes }) {
    const { manager } = verb;
    manager.requireUser();
    const { files, load } = await configOf(verb);
    const { trust: project } = await load();
    if (project === null)
      throw usageError(
        `there is no ${files.project}`,
        'a project chooses its agent and model there, and the setup of its worktrees',
      );
    const { file, key, trusted, values } = project;
    const chosen = Object.entries(values).filter(([, value]) => value !== undefined);
    if (chosen.length === 0)
      return verb.hint('it chooses no agent, no model and no setup: there is nothing to trust');
    if (trusted) return verb.hint('you trust it already, as it is now');
    const { stderr } = verb.context;
    const choices = chosen
      .map(
        ([key, value]) =>
          `  ${key} = ${JSON.stringify(value)}${key === 'setup' ? ', run outside of any sandbox' : ''}\n`,
      )
      .join('');
    stderr.write(safeText(`${file} chooses, for sessions that ask for nothing else:\n${choices}`));
    if (!(await confirm(verb, 'Trust it as it is now?', yes))) return;
    await manager.trustFile(key);
    verb.print(safeLine(file));
  },
});

/** `zwarm config` */
export const config = defineVerb({
  name: 'config',
  summary: 'see and change the configuration',
  subcommands: [list, get, set, path, trust],
  notes: `
Keys: ${KEYS.join(', ')}. docs/configuration.md explains them.

A project's zwarm.toml may narrow what you allow, and never widen it; "list" names the lines that have no effect.`,
  examples: [
    'zwarm config list',
    'zwarm config set sandbox read-only',
    'zwarm config set allowed_dirs ~/code /srv/www',
    'zwarm config set allowed_dirs --unset',
    'zwarm config get max_depth',
    ['zwarm config trust', "this project's choice of agent, model and setup"],
  ],
});
