import { ZwarmError } from '../../core/errors.ts';
import { isSessionId } from '../../core/ids.ts';
import { isModelName } from '../../core/model.ts';
import { isWithin } from '../../core/path.ts';
import { parseMetadata } from '../../core/rules/metadata.ts';
import { allowedRoot, narrower } from '../../core/rules/policy.ts';
import { parseSchema } from '../../core/rules/schema.ts';
import { parseTags } from '../../core/rules/tags.ts';
import { firstFew } from '../../core/session.ts';
import { isAdopted, isMarkerKind } from '../../core/turn-kinds.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import type { KnownRecord, SessionRecord, Unpacked } from '../../store/records.ts';
import { listTurns, readExit, readPrompt, readRequest, readSessionRecord } from '../../store/sessions.ts';
import type { Session } from '../context.ts';
import { requireKnownRecord, unknownWordsIn } from '../session/unknown-words.ts';
import { USER } from './caller.ts';

/*
 * An archive comes from somebody else. What was said and done is taken as it is; what its agent may do from now on is not
 * decided there.
 */

/** No agent's program takes it for an option, and nobody for a path. */
const THREAD = /^[A-Za-z0-9][\w-]{0,99}$/;

/**
 * The records of a received session are such as zwarm writes, and every turn has ended. @throws DamagedRecord, ZwarmError
 * `format_newer`
 */
export function checkReceived(session: Session): KnownRecord {
  const refuse = (what: string): never => {
    throw new DamagedRecord(what);
  };
  const stored = readSessionRecord(session);
  const { model, forked_from: fork } = stored;
  if (fork !== null && !isSessionId(fork.id)) refuse('field forked_from.id is not valid');
  const turns = listTurns(session);
  const unknown = unknownWordsIn({ ...session, record: stored, turns });
  if (unknown.length > 0) {
    const what = `the archive was packed by a newer zwarm: this one does not know ${firstFew(unknown)}`;
    throw new ZwarmError('format_newer', what, 'update zwarm');
  }
  const record = requireKnownRecord(session.id, stored);
  const models = [model];
  for (const number of turns) {
    const turn = { ...session, turn: number };
    const { kind, runs, adopted, opened } = readRequest(turn);
    models.push(runs?.model ?? null);
    if (!THREAD.test(adopted?.thread_id ?? 'none')) refuse(`the thread of turn ${number} is not valid`);
    if (kind === 'tombstone') refuse(`turn ${number} is of the kind ${kind}`);
    if (isMarkerKind(kind) && opened === null) continue;
    if (!isMarkerKind(kind) && !isAdopted(kind) && readPrompt(turn) === null)
      refuse(`prompt.md of turn ${number} is missing`);
    if (readExit(turn) === null) refuse(`turn ${number} has not ended`);
  }
  if (models.some((name) => name !== null && !isModelName(name))) refuse('the name of a model is not valid');
  return { ...record, tags: parseTags(record.tags), metadata: parseMetadata(record.metadata) };
}

/**
 * The record of a received session as it is kept here: its agent works in the project, in the sandbox at most, and with
 * nothing that somebody else has told its program; and in words what that changes.
 */
export function keptRecord(
  record: KnownRecord,
  projectRoot: string,
  unpacked: Unpacked,
): { readonly record: SessionRecord; readonly changes: readonly string[] } {
  const { working_dir: directory, work_in: workIn, git } = record;
  const isHere = 'root' in allowedRoot({ allowedDirs: [[projectRoot]] }, directory);
  const working_dir = isHere ? directory : projectRoot;
  const sandbox = narrower(record.sandbox, 'workspace-write');
  const isBelow = workIn !== null && !workIn.split('/').includes('..') && !workIn.startsWith('/');
  const changes = [
    isHere ? null : `it worked in ${directory}, and here works in ${working_dir}`,
    sandbox === record.sandbox ? null : `its sandbox was ${record.sandbox}, and here is ${sandbox}`,
    record.agent_args.length === 0 ? null : "the arguments for its agent's own program are left out",
    record.orchestrates ? 'it ran other sessions, and here gets no tools for that' : null,
  ];
  const kept: SessionRecord = {
    ...record,
    working_dir,
    work_in: isHere && isBelow ? workIn : null,
    // Whatever it says of one is said of another machine.
    worktree: null,
    git: git !== null && isWithin(git.root, projectRoot) ? git : null,
    sandbox,
    agent_args: [],
    orchestrates: false,
    source: USER,
    parent: null,
    key: null,
    schema: record.schema === null ? null : parseSchema(record.schema),
    unpacked,
  };
  return { record: kept, changes: changes.filter((change) => change !== null) };
}
