import { ZwarmError } from '../core/errors.ts';
import type { ConfigPlace, Settings } from '../core/rules/policy.ts';
import { cutText } from '../core/session.ts';
import { trustedDirectory, userConfigFile } from '../core/user-places.ts';
import { type Combined, combine, PREFERENCES, type Source, type Sources } from './combine.ts';
import { directoriesOf, directoryOf } from './directories.ts';
import { firstOf } from './notices.ts';
import { readProjectText, readUserText } from './read-text.ts';
import type { Rules } from './schema.ts';
import { isTrusted, markOf, type TrustMark } from './trust.ts';
import type { Given } from './values.ts';

/** Where the files are, or would be. */
export interface ConfigFiles {
  /** Null where no home is known. */
  readonly user: string | null;
  readonly project: string;
}

/** What the files and the environment come to, and why. */
export interface Configuration extends Combined {
  /** What else is to be said about the files. */
  readonly notices: readonly string[];
  readonly settings: Settings;
  /** The project's file; null where there is none. */
  readonly trust: ProjectTrust | null;
}

/** Whether the user trusts the project's file as it is now, and what depends on that. */
export interface ProjectTrust {
  readonly file: string;
  readonly mark: TrustMark;
  readonly trusted: boolean;
  readonly values: Pick<Given, 'agent' | 'model'>;
}

/** The files of a place, whether they are there or not. */
export function configFiles({ env, projectRoot }: ConfigPlace): ConfigFiles {
  return { user: userConfigFile(env), project: `${projectRoot.replace(/\/$/, '')}/zwarm.toml` };
}

interface Read {
  readonly source: Source;
  readonly notices: readonly string[];
}

/** The real path of the user's home; one that is not there holds no project either. */
function realHome({ HOME: home }: ConfigPlace['env']): string | null {
  if (!home?.startsWith('/')) return null;
  const directory = directoryOf(home, home, null);
  return 'path' in directory ? directory.path : null;
}

/** Understands a file; what that takes is loaded only where there is one. */
async function understand(
  path: string,
  text: string,
  { env, projectRoot }: ConfigPlace,
  rulesOf: (schema: typeof import('./schema.ts')) => Rules,
): Promise<Read> {
  const [schema, { parseFile }] = await Promise.all([import('./schema.ts'), import('./parse.ts')]);
  const { values, notices } = parseFile(path, text, rulesOf(schema));
  const home = env['HOME']?.startsWith('/') ? env['HOME'] : null;
  const directories = directoriesOf(values.allowed_dirs ?? [], projectRoot, home);
  const missing = directories.flatMap((one) =>
    'missing' in one
      ? `${path}: allowed_dirs: ${schema.shown(one.entry)} allows nothing: ${one.missing}`
      : [],
  );
  const told = firstOf(missing, (more) => `${path}: allowed_dirs: ${more} more allow nothing`);
  return { source: { origin: path, values, directories }, notices: [...notices, ...told] };
}

/** What variables say; an empty one says nothing. @throws ZwarmError `config` */
async function preferencesOf(env: ConfigPlace['env']): Promise<Sources['preferences']> {
  const set = PREFERENCES.filter(({ variable }) => env[variable]);
  if (set.length === 0) return {};
  const { checked, fromWords, USER_RULES } = await import('./schema.ts');
  const read = ({ key, variable }: (typeof PREFERENCES)[number]) => {
    const refuse = (why: string) =>
      new ZwarmError('config', `${variable}: ${why}`, `set ${variable} to another value, or unset it`);
    return [key, checked(USER_RULES, key, fromWords(key, [env[variable] ?? '']), refuse)];
  };
  return Object.fromEntries(set.map(read));
}

/** All of the configuration of a user and a project. @throws ZwarmError `config` where something cannot be understood */
export async function loadConfiguration(place: ConfigPlace): Promise<Configuration> {
  const { env, projectRoot } = place;
  const files = configFiles(place);
  const userText = files.user === null ? null : readUserText(files.user);
  const projectText = readProjectText(files.project);
  const user =
    files.user === null || userText === null
      ? null
      : await understand(files.user, userText, place, ({ USER_RULES }) => USER_RULES);
  const project =
    projectText === null
      ? null
      : await understand(files.project, projectText, place, ({ PROJECT_RULES }) => PROJECT_RULES);
  const mark = projectText === null ? null : markOf(files.project, projectText);
  const trusted = mark !== null && isTrusted(trustedDirectory(env), mark);
  const combined = combine({
    projectRoot,
    home: realHome(env),
    user: user?.source ?? null,
    project: project?.source ?? null,
    trusted,
    preferences: await preferencesOf(env),
  });
  const notices = [...(user?.notices ?? []), ...(project?.notices ?? [])];
  const inVain = combined.ignored.map(
    ({ key, value, origin, reason }) =>
      `${origin}: ${key} = ${cutText(JSON.stringify(value), 80)} has no effect: ${reason}`,
  );
  return {
    ...combined,
    notices,
    settings: { ...combined.settings, notices: [...notices, ...inVain] },
    trust:
      mark === null || project === null
        ? null
        : {
            file: files.project,
            mark,
            trusted,
            values: { agent: project.source.values.agent, model: project.source.values.model },
          },
  };
}

/** What the configuration of a user and a project comes to. @throws ZwarmError `config` where a file cannot be understood */
export async function loadSettings(place: ConfigPlace): Promise<Settings> {
  return (await loadConfiguration(place)).settings;
}
