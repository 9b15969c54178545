import { upwards } from '../../core/path.ts';
import type { ConfigurationTexts, Environment, OutsideOfSandbox, OwnSandbox, Reach } from '../agent.ts';
import { codexItems } from './arguments.ts';
import { codexHome } from './command.ts';

const ROOTS = 'writable_roots';
/** What a text has that names these roots; the escapes by which a name can be spelled otherwise are TOML's. */
const NAMES_ROOTS = /writable_roots|\\[uUx]/;
const REQUIREMENTS = '/etc/codex/requirements.toml';
const SYSTEM = ['/etc/codex/config.toml', '/etc/codex/managed_config.toml'];

const NOTHING: Reach = { directories: [], unclear: [], outside: [] };
const unclear = (what: string): Reach => ({ ...NOTHING, unclear: [what] });
const reaching = (paths: readonly string[], base: string): Reach => ({
  ...NOTHING,
  directories: paths.map((path) => ({ path, base })),
});

const valuesOf = (args: readonly string[], option: string): readonly string[] =>
  codexItems(args).flatMap(({ name, values }) => (name === option ? values : []));

/** The path of a name in a directory, `/` too. */
const below = (directory: string, name: string): string => `${directory === '/' ? '' : directory}/${name}`;

/** Every path in a list called `writable_roots`, wherever it stands: for the sandbox, in a profile, or elsewhere. */
function rootsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === ROOTS && Array.isArray(inner) ? inner.filter((path) => typeof path === 'string') : rootsIn(inner),
  );
}

/** The roots that a text in TOML names, relative ones from `base` on. `what` is a file, or what else to call it. */
async function rootsOf(
  what: string,
  text: string,
  base = what.slice(0, what.lastIndexOf('/')),
): Promise<Reach> {
  if (!NAMES_ROOTS.test(text)) return NOTHING;
  const { parse } = await import('smol-toml');
  try {
    return reaching(rootsIn(parse(text)), base);
  } catch {
    // Codex may know a newer TOML.
    return unclear(what);
  }
}

/** What `-c` says: Codex splits it at the first `=`, and its name at every dot. */
function settingOf(setting: string): string {
  const at = Math.max(setting.indexOf('='), 0);
  const names = setting.slice(0, at).split('.');
  return `${names.map((name) => JSON.stringify(name.trim())).join('.')} = ${setting.slice(at + 1)}`;
}

/** Where a file of variables, which Codex reads from its home, puts temporary files. */
function temporaryOf(path: string, text: string): Reach {
  const lines = [...text.matchAll(/^\s*(?:export\s+)?(TMPDIR|HOME)\s*=\s*(.*?)\s*$/gm)];
  const values = lines.map(([, , value = '']) => value.replace(/^(['"])(.*)\1$/, '$2'));
  const isClear = lines.every(([, name]) => name === 'TMPDIR') && !values.some((one) => /[$\\'"#]/.test(one));
  return isClear ? reaching(values, '/') : unclear(path);
}

/** With these it goes by permission profiles, whatever `-s` says. */
const requirementsOf = (path: string, text: string): Reach =>
  text.includes('allowed_permission_profiles') ? unclear(`allowed_permission_profiles in ${path}`) : NOTHING;

/** The files of the system and of the user that configure Codex. */
function ownFiles(env: Environment, args: readonly string[]): readonly string[] {
  const home = codexHome(env);
  const profiles = valuesOf(args, '--profile').map((profile) => `${profile}.config.toml`);
  return [...SYSTEM, ...(home === null ? [] : ['config.toml', ...profiles].map((file) => `${home}/${file}`))];
}

/** The directories whose `.codex` counts: from that of the turn up to the root of its project. */
function projectDirectories(
  directory: string,
  texts: ConfigurationTexts,
  own: readonly string[],
): readonly string[] {
  const all = upwards(directory);
  // What marks a root is something else then.
  if (own.some((text) => text.includes('project_root_markers'))) return all;
  const root = all.findIndex((at) => texts.has(below(at, '.git')));
  return all.slice(0, Math.max(root, 0) + 1);
}

/** The rules of a project, by which commands run outside of the sandbox. */
function freeCommands(
  directories: readonly string[],
  args: readonly string[],
  texts: ConfigurationTexts,
  own: string,
): readonly OutsideOfSandbox[] {
  if (codexItems(args).some(({ name }) => name === '--ignore-rules')) return [];
  return directories
    .map((at) => below(at, '.codex/rules'))
    .filter((rules) => rules !== own && texts.has(rules))
    .map((rules) => ({
      what: `commands that ${rules} allows`,
      otherwise: 'leave it out by --agent-arg=--ignore-rules',
    }));
}

/** Whether a text, where there is one, names servers of tools: a verb; null for no. */
async function namesServers(text: string | null | undefined): Promise<'names' | 'may name' | null> {
  if (text === undefined) return null;
  if (text === null) return 'may name';
  if (!/mcp_servers|\\[uUx]/.test(text)) return null;
  const { parse } = await import('smol-toml');
  try {
    return 'mcp_servers' in parse(text) ? 'names' : null;
  } catch {
    return 'may name';
  }
}

/**
 * The servers of tools that a directory below the root of the project names. Codex keeps its agents from `.codex` of the
 * directory in which they work alone, so that one of the root can have written there. So it can have made what looks like
 * a root in another one: such a root counts where the user's configuration names it, as one that is trusted.
 */
async function freeServers(
  directories: readonly string[],
  texts: ConfigurationTexts,
  own: { readonly file: string; readonly said: readonly string[] },
): Promise<readonly OutsideOfSandbox[]> {
  const root = directories.at(-1) ?? '/';
  const isInner = upwards(root).some((at) => at !== root && texts.has(below(at, '.git')));
  const isNamed = own.said.some((text) => [`"${root}"`, `'${root}'`].some((name) => text.includes(name)));
  const ofRoot = isInner && !isNamed ? null : below(root, '.codex/config.toml');
  const found = directories
    .map((at) => below(at, '.codex/config.toml'))
    .filter((path) => path !== ofRoot && path !== own.file)
    .map(async (path) => {
      const verb = await namesServers(texts.get(path));
      return verb === null ? [] : [`the servers of tools that ${path} ${verb}`];
    });
  const otherwise = `name them in ${ofRoot === null ? '' : `${ofRoot} or in `}your own configuration instead`;
  return (await Promise.all(found)).flat().map((what) => ({ what, otherwise }));
}

const OBEYED =
  'config.toml .env auth.json rules hooks.json hooks agents skills prompts plugins AGENTS.md AGENTS.override.md'.split(
    ' ',
  );

/** What Codex 0.169 obeys everywhere: the user's own, and the system's. */
export function codexObeyed(env: Environment): readonly string[] {
  const home = codexHome(env);
  const own = home?.startsWith('/') ? OBEYED.map((name) => below(home, name)) : [];
  const skills = env['HOME']?.startsWith('/') ? [below(env['HOME'], '.agents')] : [];
  return [...own, ...skills, '/etc/codex'];
}

/**
 * For `codex exec -s workspace-write` 0.169. Its configuration is the system's, the user's with its profiles, each `.codex`
 * from the root of the project down to the directory, and `-c`. Not all of it may count, as the project is not trusted or a
 * later one replaces it: here each does. What the user's own rules allow is the user's decision.
 */
export const codexConfinement: OwnSandbox = {
  by: 'agent',
  closed: ['.git', '.codex', '.agents'],
  configurationFiles(env, directory, args) {
    const home = codexHome(env) ?? '';
    const above = upwards(directory).flatMap((at) =>
      ['.git', '.codex/config.toml', '.codex/rules'].map((name) => below(at, name)),
    );
    return [...ownFiles(env, args), REQUIREMENTS, below(home, '.env'), ...above];
  },
  async writable({ env, directory, args }, texts) {
    const home = codexHome(env) ?? '';
    const settings = valuesOf(args, '--config');
    const own = ownFiles(env, args);
    const said = [...settings, ...own.map((path) => texts.get(path) ?? '')];
    const directories = projectDirectories(directory, texts, said);
    const read = (path: string, as: (path: string, text: string) => Reach | Promise<Reach>) => {
      const text = texts.get(path);
      return text === undefined ? NOTHING : text === null ? unclear(path) : as(path, text);
    };
    const files = [...own, ...directories.map((at) => below(at, '.codex/config.toml'))];
    const known = ['/tmp', env['TMPDIR'] || '/tmp', ...valuesOf(args, '--add-dir'), below(home, 'memories')];
    const all = await Promise.all([
      reaching(known, directory),
      ...settings.map((setting) => rootsOf(`-c ${setting}`, settingOf(setting), directory)),
      ...files.map((path) => read(path, rootsOf)),
      read(below(home, '.env'), temporaryOf),
      read(REQUIREMENTS, requirementsOf),
    ]);
    return {
      directories: all.flatMap((one) => one.directories),
      unclear: all.flatMap((one) => one.unclear),
      outside: [
        ...freeCommands(directories, args, texts, below(home, 'rules')),
        ...(await freeServers(directories, texts, { file: below(home, 'config.toml'), said })),
      ],
    };
  },
  gap: (texts) =>
    texts.some((text) => /^\s*(?:\S+\.)?network_access\s*=\s*true\b/m.test(text))
      ? 'with its access to the network it can open Unix sockets (docker, ssh-agent)'
      : null,
};
