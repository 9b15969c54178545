import { findAgent } from '../../agents/registry.ts';
import { survey, turnsOfFile } from '../../core/conversation/session-file.ts';
import { ZwarmError } from '../../core/errors.ts';
import { elsewhereThanGit } from '../../core/git-command.ts';
import type { SessionSummary } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { claimTurn, flushClaim } from '../../store/claim.ts';
import { requireUser } from '../access/caller.ts';
import { guardCompiled } from '../access/guard-compiled.ts';
import { adoptedTurn } from '../adopt/adopt-session.ts';
import { linesOf, type SessionFile } from '../adopt/session-files.ts';
import type { ManagerContext, Session } from '../context.ts';
import { planContinuation } from '../launch/continuation.ts';
import { checkFollowUp } from '../launch/next-turn.ts';
import { requireAtRest } from '../launch/preconditions.ts';
import { tryCacheState } from '../session/cache-state.ts';
import { readNow } from '../session/current-turn.ts';
import { historyOf } from '../session/turn-lineage.ts';
import { requireKnownWords } from '../session/unknown-words.ts';

/** A session whose thread is to be opened in the agent's own program. */
export interface Opening {
  readonly session: Session;
  readonly agent: string;
  readonly threadId: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: ManagerContext['env'];
  readonly cwd: string;
  /** Its newest turn. */
  readonly turn: number;
  /** The agent's own file of the thread, as it is before. */
  readonly before: SessionFile;
}

/** Whether a session may be opened, as far as its row tells. */
export function canOpen({ agent, thread_id: thread, status }: SessionSummary): boolean {
  return thread !== null && isFinal(status) && (findAgent(agent ?? '')?.interactive ?? null) !== null;
}

/** Finds out how a session is opened. @throws ZwarmError `busy`, `not_resumable`, … */
export async function prepareOpen(context: ManagerContext, session: Session): Promise<Opening> {
  requireUser(context);
  const now = await requireKnownWords(await readNow(session, context.now()));
  requireAtRest(now);
  const checked = await checkFollowUp(context, now);
  const { adapter, record, program } = checked;
  const refuse = (why: string): never => {
    const hint = `its next message can still be given: zwarm inject ${now.id} "…"`;
    throw new ZwarmError('not_resumable', `${now.id} cannot be opened: ${why}`, hint);
  };
  const files = adapter.history?.files ?? null;
  if (adapter.interactive === null || files === null)
    return refuse(`what is said in ${adapter.name} itself could not be read afterwards`);
  const { turns: before, store, id } = now;
  const next = { store, id, before, ...checked, kind: 'prompt', message: '', covers: [] } as const;
  const { how, threadId, forks, why } = await planContinuation(context, { ...next, historyChars: 0 });
  if (how !== 'native' || threadId === null || forks)
    return refuse(why ?? `no thread of ${adapter.name} holds its conversation`);
  const file = historyOf(context, adapter, threadId);
  if (!file) return refuse(`${adapter.name} has no session file of the thread ${threadId}`);
  const { working_dir: cwd, sandbox, model } = record;
  guardCompiled(context, store, checked.allowed);
  const { args, env } = adapter.interactive({ workingDir: cwd, sandbox, model, threadId });
  return {
    session,
    agent: adapter.name,
    threadId,
    program: program.path,
    args: [...program.args, ...args],
    env: { ...elsewhereThanGit(context.env), ...env },
    cwd,
    turn: before.at(-1) ?? 0,
    before: { ...file, adapter, files },
  };
}

/** What was recorded after the agent's own program has ended. */
export interface Opened {
  readonly turns: number;
  readonly warning: string | null;
}

/** Makes turns of what was said in the agent's own program, as far as its file shows it. @throws ZwarmError `io` */
export async function recordOpened(context: ManagerContext, opening: Opening): Promise<Opened> {
  const { session, threadId, before, turn: last } = opening;
  const { adapter, files } = before;
  const file = historyOf(context, adapter, threadId);
  if (!file || file.bytes <= before.bytes) return { turns: 0, warning: null };
  const { turns } = await readNow(session, context.now());
  if (turns.at(-1) !== last) {
    const warning = `${session.id} has got another turn meanwhile: what was said in ${adapter.name} itself is in ${file.path}`;
    return { turns: 0, warning };
  }
  const newReader = await files.loadReader();
  const whole = survey(linesOf({ ...before, bytes: file.bytes }), newReader());
  const old = survey(linesOf(before), newReader());
  const isWoundBack = old.last !== null && whole.branch !== null && !whole.branch.has(old.last);
  let turn = last;
  for (const { lines: events, end, ...said } of turnsOfFile(
    linesOf({ ...before, bytes: file.bytes }, before.bytes),
    newReader(),
    whole,
  )) {
    turn += 1;
    const claim = adoptedTurn(context, 'external', {
      ...said,
      directory: opening.cwd,
      events,
      stream: 'history',
      threadId,
      // Where the user went back there, the thread no longer holds what came before.
      continued: isWoundBack ? null : threadId,
      version: whole.thread?.version ?? null,
      end: () => ({ ...end(), exitCode: null }),
    });
    claimTurn({ ...session, turn }, claim);
    flushClaim({ ...session, turn });
  }
  if (turn > last) await tryCacheState(context, session);
  const wound = `the conversation was wound back in ${adapter.name} itself: the next message is told anew what was said`;
  return { turns: turn - last, warning: isWoundBack ? wound : null };
}
