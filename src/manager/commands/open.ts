import { ZwarmError } from '../../core/errors.ts';
import { elsewhereThanGit } from '../../core/git-command.ts';
import type { SessionId } from '../../core/ids.ts';
import { markOfTurn } from '../../core/turn-mark.ts';
import { MARK_VARIABLE } from '../../process/identity.ts';
import { claimTurn, flushClaim } from '../../store/claim.ts';
import { realPathOf } from '../../store/real-path.ts';
import { recordTouched } from '../../store/trees.ts';
import { requireUser } from '../access/caller.ts';
import { guardCompiled } from '../access/guard-compiled.ts';
import { catchUp, type TakenIn, takeIn } from '../adopt/opened.ts';
import type { ManagerContext, Session } from '../context.ts';
import { planContinuation } from '../launch/continuation.ts';
import { newRequest } from '../launch/new-request.ts';
import { checkFollowUp } from '../launch/next-turn.ts';
import { requireAtRest } from '../launch/preconditions.ts';
import { touchOthersTrees } from '../launch/untouched-trees.ts';
import { tryCacheState } from '../session/cache-state.ts';
import { historyOf } from '../session/turn-lineage.ts';
import { requireKnownWords } from '../session/unknown-words.ts';
import { declareNeverLaunched } from '../stop/request-cancel.ts';

/** The agent's own program, on the thread of a session. */
export interface OwnProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: ManagerContext['env'];
  readonly cwd: string;
}

/** A session that was open. */
export interface Opened extends TakenIn {
  readonly id: SessionId;
  readonly agent: string;
  /** The exit code of the agent's program, null where a signal ended it. */
  readonly code: number | null;
}

/**
 * Has `run` run the agent's own program on the thread of a session, which is busy until that has ended; then makes turns of what
 * was said there. @throws ZwarmError `busy`, `not_resumable`, …
 */
export async function open(
  context: ManagerContext,
  session: Session,
  run: (program: OwnProgram) => Promise<number | null>,
): Promise<Opened> {
  requireUser(context);
  const now = await requireKnownWords(await catchUp(context, session));
  requireAtRest(now);
  const checked = await checkFollowUp(context, now);
  const { adapter, record, program, runs } = checked;
  const { turns: before, store, id } = now;
  const refuse = (why: string): never => {
    const hint = `its next message can still be given: zwarm inject ${id} "…"`;
    throw new ZwarmError('not_resumable', `${id} cannot be opened: ${why}`, hint);
  };
  if (adapter.interactive === null || (adapter.history?.files ?? null) === null)
    return refuse(`what is said in ${adapter.name} itself could not be read afterwards`);
  const next = { store, id, before, ...checked, kind: 'prompt', message: '', covers: [] } as const;
  const { how, threadId, forks, why } = await planContinuation(context, { ...next, historyChars: 0 });
  if (how !== 'native' || threadId === null || forks)
    return refuse(why ?? `no thread of ${adapter.name} holds its conversation`);
  const file = historyOf(context, adapter, threadId);
  if (!file) return refuse(`${adapter.name} has no session file of the thread ${threadId}`);
  const { working_dir: cwd, sandbox, model } = record;
  guardCompiled(context, store, checked.allowed);
  const { args, env } = adapter.interactive({ workingDir: cwd, sandbox, model, threadId });
  await touchOthersTrees(context, { ...now, ...checked });
  recordTouched(now);
  declareNeverLaunched(context, now);
  const turn = { store, id, turn: (before.at(-1) ?? 0) + 1 };
  // Later the file itself is read: where it is a link now, what that leads to.
  const opened = { thread_id: threadId, path: realPathOf(file.path) ?? file.path, bytes: file.bytes };
  const request = { ...newRequest(context, 'open', { runs }), opened };
  claimTurn(turn, { request, prompt: null });
  flushClaim(turn);
  const whole = [...program.args, ...args];
  const mark = markOfTurn(turn, request.nonce);
  const itsEnv = { ...elsewhereThanGit(context.env), ...env, [MARK_VARIABLE]: mark };
  let code: number | null = null;
  let taken: TakenIn;
  try {
    code = await run({ program: program.path, args: whole, env: itsEnv, cwd });
  } finally {
    taken = await takeIn(context, { ...turn, request });
    await tryCacheState(context, session);
  }
  return { ...taken, id, agent: adapter.name, code };
}
