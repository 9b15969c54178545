import type { NoSandbox } from '../../agents/agent.ts';
import { ZwarmError } from '../../core/errors.ts';
import { CLOSED } from '../../core/rules/policy.ts';
import {
  type Confiner,
  confine,
  filterHere,
  findConfiner,
  type Limits,
  linkAmong,
  missingNames,
  type ProgramCall,
} from '../../process/confine.ts';
import { createFile, makeDirs } from '../../store/files.ts';
import { projectOf } from '../../store/git.ts';
import { turnFile } from '../../store/layout.ts';
import { requireOwnPlace } from '../../store/own-place.ts';
import { lookAt } from '../../store/read-file.ts';
import { realPathToBe } from '../../store/real-path.ts';
import type { SessionRecord } from '../../store/records.ts';
import type { ManagerContext, Turn } from '../context.ts';
import { keepMountPoints } from './mount-points.ts';

/** What keeps an agent that brings no sandbox within one; null where nothing here can. */
export function confinerFor(
  { env }: ManagerContext,
  { working_dir: directory }: Pick<SessionRecord, 'working_dir'>,
): Promise<Confiner | null> {
  return findConfiner(env, projectOf(directory));
}

/** What an agent that zwarm confines may write, besides temporary files. */
export function limitsOf(
  { env }: ManagerContext,
  { state }: NoSandbox,
  { sandbox, working_dir: directory }: Pick<SessionRecord, 'sandbox' | 'working_dir'>,
): Limits {
  const { directories, files, kept } = state(env, directory);
  return {
    directory,
    writes: sandbox === 'workspace-write',
    closed: CLOSED,
    directories: directories.map(realPathToBe),
    files: files.filter((path) => lookAt(path) !== null).map(realPathToBe),
    kept: kept.map(realPathToBe),
  };
}

/** A turn whose agent is to be confined. */
interface Confined extends Turn {
  /** Which of its files its agent reads. */
  readonly stdin: 'prompt' | 'input';
  readonly record: Pick<SessionRecord, 'sandbox' | 'working_dir'>;
}

/**
 * The call of an agent's program within the limits of its sandbox, and the variables that this adds to its environment.
 * @throws ZwarmError `not_resumable`, `foreign_directory`
 */
export async function confinedCall(
  context: ManagerContext,
  turn: Confined,
  by: { readonly confiner: Confiner; readonly confinement: NoSandbox },
  call: ProgramCall,
): Promise<ProgramCall & { readonly env: ManagerContext['env'] }> {
  const limits = limitsOf(context, by.confinement, turn.record);
  const link = linkAmong(limits);
  if (link !== null) {
    const what = `${limits.directory}/${link} is a link, which the agent could put another one in the place of`;
    throw new ZwarmError('not_resumable', what, 'put what it leads to there, or use -s read-only');
  }
  for (const path of [...limits.directories, ...limits.kept]) {
    requireOwnPlace(context, path);
    makeDirs(path);
  }
  const filter = turnFile(turn, 'filter');
  const isBwrap = by.confiner.name === 'bwrap';
  if (isBwrap) {
    createFile(filter, filterHere() ?? new Uint8Array());
    await keepMountPoints(turn, limits.directory, () => missingNames(limits));
  }
  const temporary = isBwrap ? '/tmp' : realPathToBe(context.env['TMPDIR'] || '/tmp');
  const input = turnFile(turn, turn.stdin);
  return { ...confine(by.confiner, limits, call, { filter, input, temporary }), env: { TMPDIR: temporary } };
}
