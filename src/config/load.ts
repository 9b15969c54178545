import { ZwarmError } from '../core/errors.ts';
import type { ConfigPlace, Settings } from '../core/rules/policy.ts';
import { closest } from '../core/suggest.ts';
import { trustedDirectory, userConfigFile } from '../core/user-places.ts';
import { wrongAlias } from './aliases.ts';
import { budgetsOf } from './budgets.ts';
import { directoriesOf, directoryOf } from './directories.ts';
import { KEY_NAMES } from './key-names.ts';
import { checked, fromWords, type Given, KEYS, shown } from './keys.ts';
import { merge, type Source } from './merge.ts';
import { wrongPrice } from './prices.ts';
import { readProjectText, readUserText, withFile } from './read-text.ts';
import { isTrusted, type TrustKey, trustKeyOf } from './trust.ts';
import { fillingOf } from './worktree.ts';

/** What the files and the environment say together, and why. */
export interface Configuration extends Omit<ReturnType<typeof merge>, 'settings'> {
  /** What else is to be said about the files. */
  readonly notices: readonly string[];
  readonly settings: Settings;
  /** Whether the user trusts the project's file as it is now, and what depends on that; null where there is no file. */
  readonly trust: {
    readonly file: string;
    readonly key: TrustKey;
    readonly trusted: boolean;
    readonly values: Pick<Given, 'agent' | 'model'> & { readonly setup: string | undefined };
  } | null;
}

/** The tables of the user alone: what models cost, and what words stand for. Each with what is wrong with it, or null. */
const OWN_TABLES = { prices: wrongPrice, alias: wrongAlias } as const;

/** The other tables beside the keys: what may be spent, and what is put into new worktrees. */
const [BUDGET, WORKTREE] = ['budget', 'worktree'] as const;

/** The files of a user (null where no home is known) and a project, whether they are there or not. */
export function configFiles({ env, projectRoot }: ConfigPlace) {
  return { user: userConfigFile(env), project: `${projectRoot.replace(/\/$/, '')}/zwarm.toml` };
}

/** The first few notices of a kind, and how many more there are: an agent's file could have thousands. */
function firstOf(notices: readonly string[], rest: (more: number) => string): readonly string[] {
  const more = notices.length - 5;
  return more <= 0 ? notices : [...notices.slice(0, 5), rest(more)];
}

function unknownKeys(path: string, keys: readonly string[]): readonly string[] {
  const notices = keys.map((key) => {
    const guess = closest(key, KEY_NAMES);
    return `${path}: unknown key ${shown(key)}${guess === null ? '' : `: did you mean ${guess}?`}`;
  });
  return firstOf(notices, (more) => `${path}: ${more} more unknown ${more === 1 ? 'key' : 'keys'}`);
}

/** What a file says. @throws ZwarmError `config` */
async function understand(
  origin: string,
  text: string | null,
  whose: 'user' | 'project',
  { env, projectRoot }: ConfigPlace,
): Promise<Source> {
  if (text === null) return { origin, values: {}, directories: [], budgets: [], filling: null, notices: [] };
  // Loaded only where there is a file.
  const { parseToml } = await import('../core/toml/parse.ts');
  const table = withFile(origin, () => parseToml(text));
  const refuse = (why: string) => new ZwarmError('config', `${origin}: ${why}`, `edit ${origin}`);
  const own = Object.entries(OWN_TABLES).filter(([name]) => Object.hasOwn(table, name));
  for (const [name, wrongIn] of whose === 'user' ? own : []) {
    const wrong = wrongIn(table[name]);
    if (wrong !== null) throw refuse(wrong);
  }
  const budgets = Object.hasOwn(table, BUDGET) ? budgetsOf(table[BUDGET], refuse) : [];
  const known = KEY_NAMES.filter((key) => Object.hasOwn(table, key));
  const values: Given = Object.fromEntries(
    known.map((key) => [key, checked(key, table[key], whose, refuse)]),
  );
  const home = env['HOME']?.startsWith('/') ? env['HOME'] : null;
  const directories = directoriesOf(values.allowed_dirs ?? [], projectRoot, home);
  const missing = directories.flatMap((one) =>
    'missing' in one ? `${origin}: allowed_dirs: ${shown(one.entry)} allows nothing: ${one.missing}` : [],
  );
  const hasFilling = Object.hasOwn(table, WORKTREE);
  const filling = hasFilling && whose === 'project' ? fillingOf(table[WORKTREE], refuse) : null;
  const named = [...KEY_NAMES, ...Object.keys(OWN_TABLES), BUDGET, WORKTREE];
  const unknown = Object.keys(table).filter((key) => !named.some((name) => name === key));
  const elsewhere = [
    ...(whose === 'project' ? own : []).map(
      ([name]) => `${name} has no effect: only your own file decides this`,
    ),
    ...(whose === 'user' && hasFilling
      ? [`${WORKTREE} has no effect: each project says that in its zwarm.toml`]
      : []),
  ];
  const notices = [
    ...unknownKeys(origin, unknown),
    ...elsewhere.map((what) => `${origin}: ${what}`),
    ...firstOf(missing, (more) => `${origin}: allowed_dirs: ${more} more allow nothing`),
  ];
  return { origin, values, directories, budgets, filling, notices };
}

/** What variables say; an empty one says nothing. @throws ZwarmError `config` */
function variablesOf(env: ConfigPlace['env']): Given {
  const set = KEY_NAMES.flatMap((key) => {
    const { variable = '' } = KEYS[key];
    const word = env[variable];
    if (!word) return [];
    const hint = `set ${variable} to another value, or unset it`;
    const refuse = (why: string) => new ZwarmError('config', `${variable}: ${why}`, hint);
    return [[key, fromWords(key, [word], refuse)]];
  });
  return Object.fromEntries(set);
}

/** The real path of the user's home; one that does not exist cannot be in a project either. */
function realHome({ HOME: home }: ConfigPlace['env']): string | null {
  if (!home?.startsWith('/')) return null;
  const directory = directoryOf(home, home, null);
  return 'path' in directory ? directory.path : null;
}

/** All of the configuration of a user and a project. @throws ZwarmError `config` where something cannot be understood */
export async function loadConfiguration(place: ConfigPlace): Promise<Configuration> {
  const { env, projectRoot } = place;
  const files = configFiles(place);
  const [userText, projectText] = [files.user && readUserText(files.user), readProjectText(files.project)];
  const user = await understand(files.user ?? '', userText, 'user', place);
  const project = await understand(files.project, projectText, 'project', place);
  const trustKey = projectText === null ? null : trustKeyOf(files.project, projectText);
  const trusted = trustKey !== null && isTrusted(trustedDirectory(env), trustKey);
  const home = realHome(env);
  const merged = merge({ projectRoot, home, user, project, trusted, variables: variablesOf(env) });
  const notices = [...user.notices, ...project.notices];
  const withoutEffect = merged.ignored.map(
    ({ key, value, origin, reason }) => `${origin}: ${key} = ${shown(value)} has no effect: ${reason}`,
  );
  const { filling, values } = project;
  const { agent, model } = values;
  const setup = filling?.setup ?? undefined;
  return {
    ...merged,
    notices,
    settings: {
      ...merged.settings,
      filling: filling && { ...filling, isTrusted: trusted, file: files.project },
      notices: [...notices, ...withoutEffect],
    },
    trust:
      trustKey === null
        ? null
        : { file: files.project, key: trustKey, trusted, values: { agent, model, setup } },
  };
}

/** The settings of a user and a project. @throws ZwarmError `config` where a file cannot be understood */
export async function loadSettings(place: ConfigPlace): Promise<Settings> {
  return (await loadConfiguration(place)).settings;
}
