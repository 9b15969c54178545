import { readdirSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { AgentAdapter } from '../../agents/agent.ts';
import { AGENTS } from '../../agents/registry.ts';
import { isErrno, ZwarmError } from '../../core/errors.ts';
import type { Settings } from '../../core/rules/policy.ts';
import { trustedDirectory, userConfigFile, userStateDirectory } from '../../core/user-places.ts';
import { isNamedOrOnPath, lookedUpAt, lookUp, programFiles } from '../../process/find-program.ts';
import { desktopCommand } from '../../process/notify.ts';
import { projectOf } from '../../store/git.ts';
import { compiledDir } from '../../store/layout.ts';
import { type ManagerContext, stateDirectory, stateDirectoryIn } from '../context.ts';

/** Something that zwarm, a runner or the user's next command runs or obeys, outside of any sandbox. */
interface ReliedOn {
  readonly what: string;
  /** Absolute; a file, or a directory with all that is in it; there or not. */
  readonly path: string;
  /** What to do where an agent could change it. */
  readonly otherwise: string;
}

type Environment = ManagerContext['env'];

const rows = (what: string, otherwise: string, paths: readonly (string | null | undefined)[]): ReliedOn[] =>
  paths.flatMap((path) => (path && isAbsolute(path) ? [{ what, path, otherwise }] : []));

/** A path, and the links directly in it: people keep their configuration elsewhere, and link it one by one. */
function withLinks(path: string): readonly string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return [path, ...entries.flatMap((one) => (one.isSymbolicLink() ? [join(path, one.name)] : []))];
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG')) return [path];
    throw error;
  }
}

/** What decides which program runs as an agent; of the turn's own nothing where none is to run, as it is said then. */
function programOf(env: Environment, one: AgentAdapter, turn: AgentAdapter, project: string) {
  const { program } = one;
  if (program.kind === 'embedded') return [];
  try {
    return programFiles(program, env, project);
  } catch (error) {
    if (!(error instanceof ZwarmError)) throw error;
    return one === turn ? [] : [env[program.variable] || lookUp(program.binary, env['PATH'] ?? '')];
  }
}

/** What the user has named to be told by. */
function notifierOf(notify: Settings['notify'], env: Environment, project: string) {
  if (notify === null) return [];
  const [name = '', ...args] = notify.to === 'desktop' ? desktopCommand('') : notify.to;
  const whole = name.replace(/^~(?=\/)/, env['HOME'] ?? '');
  return [...(name.includes('/') ? [whole] : lookedUpAt(name, env['PATH'] ?? '', project)), ...args];
}

/** Where commands in this environment keep what Node has compiled of zwarm: the user's, and those that a runner calls. */
export function compiledDirectories(context: ManagerContext): readonly string[] {
  const states = [stateDirectoryIn(context), userStateDirectory(context.env)];
  return states.flatMap((state) => (state === null ? [] : [compiledDir(state)]));
}

/** What names the state directory. */
export const stateVariable = (env: Environment): string =>
  env['ZWARM_DIR'] ? 'ZWARM_DIR' : 'XDG_STATE_HOME';

/**
 * All that must stay out of reach of a turn that works in `directory` (a real path): what zwarm consists of, the programs
 * that it runs, its configuration, and the programs and the user's own configuration of that agent and of the others that
 * are here.
 */
export function reliedOn(
  context: ManagerContext,
  { notify }: Pick<Settings, 'notify'>,
  agent: AgentAdapter,
  directory: string,
): readonly ReliedOn[] {
  const { env, paths } = context;
  const project = projectOf(directory);
  const onPath = (program: string) => lookedUpAt(program, env['PATH'] ?? '', project);
  const installed = dirname(dirname(paths.cli));
  const parts = ['bin', 'dist', 'package.json'].map((part) => join(installed, part));
  const configuration = userConfigFile(env);
  const userConfig = configuration && dirname(dirname(configuration));
  const here = AGENTS.filter((one) => one === agent || isNamedOrOnPath(one.program, env));
  return [
    ...rows("zwarm's program", 'install zwarm elsewhere', parts),
    ...['zwarm', 'git', 'bwrap'].flatMap((name) =>
      rows(`which program runs as ${name}`, 'take that directory out of your PATH', onPath(name)),
    ),
    ...rows('the Node that runs zwarm', 'run zwarm by a Node elsewhere', [paths.node]),
    ...rows('the configuration of zwarm', 'set XDG_CONFIG_HOME to a directory elsewhere', [
      ...(configuration === null ? [] : withLinks(dirname(configuration))),
      trustedDirectory(env),
    ]),
    ...rows(
      'what Node has compiled of zwarm',
      `set ${stateVariable(env)} to a directory elsewhere`,
      // That in the state directory is judged with all of it.
      compiledDirectories(context).filter((path) => path !== compiledDir(stateDirectory(context))),
    ),
    ...rows('what `notify` runs', 'name a program elsewhere', notifierOf(notify, env, project)),
    ...rows('the configuration of git', 'keep that elsewhere', [
      env['HOME'] && join(env['HOME'], '.gitconfig'),
      userConfig && join(userConfig, 'git'),
    ]),
    ...here.flatMap((one) => [
      ...rows(
        `the program of ${one.name}`,
        'have that elsewhere, also on your PATH',
        programOf(env, one, agent, project),
      ),
      ...rows(`the configuration of ${one.name}`, 'keep that elsewhere', one.obeyed(env).flatMap(withLinks)),
    ]),
  ];
}
