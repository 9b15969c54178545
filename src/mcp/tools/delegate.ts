import { z } from 'zod';
import type { AgentChoice } from '../../core/agent-info.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { cutText, SANDBOXES } from '../../core/session.ts';
import { placeFields, placeOf, turnFields } from '../answer.ts';
import { choice, flag, message, seconds, sessionName, tagList, text, waitSec } from '../parameters.ts';
import { defineTool, type ToolCall, WORKS } from '../tool.ts';
import { answerOfNewTurn } from '../waiting.ts';

/** A session of the caller that runs and has this task: a host that loses a call and makes it again would start a twin. */
async function findTwin({ manager }: ToolCall, task: string): Promise<SessionId | null> {
  const running = await manager.list({ all: true, statuses: ['running', 'pending'], source: 'mine' });
  for (const { id, task: beginning } of running) {
    // A row has no more of it.
    if (beginning !== cutText(task)) continue;
    const session = await manager.read(id, { turn: 1 }).catch((error: unknown) => {
      // It may be gone by now.
      if (error instanceof ZwarmError) return null;
      throw error;
    });
    if (session?.turns[0]?.view.prompt === task) return id;
  }
  return null;
}

/** Starts a session with one of these agents. */
export const delegate = (choices: readonly AgentChoice[]) => {
  const agents = choices
    .map(({ name, summary, found }) => `${name}${found ? '' : ' (not installed)'}: ${summary}`)
    .join('; ');
  return defineTool({
    name: 'delegate',
    description:
      'Spawn a coding agent (worker, sub-agent) in the background; several in parallel with mode="async". Then ' +
      'wait_sessions, also if status is "running": never delegate the same task twice.',
    input: z.strictObject({
      task: message.describe('all it must know: it does not see this conversation'),
      mode: choice(['sync', 'async'], 'sync (default): wait for the answer; async: do not'),
      agent: z
        .enum(choices.map(({ name }) => name))
        .optional()
        .describe(`default: as configured. ${agents}`),
      model: text,
      // The model does not know where this server runs, so that a relative path would mean nothing to it.
      working_dir: z
        .string()
        .regex(/^\//, 'an absolute path')
        .optional()
        .describe("absolute; default: this server's"),
      sandbox: z
        .enum(SANDBOXES)
        .optional()
        .describe(
          'read-only; workspace-write (usual default): it may change working_dir; danger-full-access: all, mostly refused',
        ),
      worktree: flag('true: in its own git worktree of the last commit; default: in working_dir'),
      name: sessionName.describe('to use in place of its id'),
      tags: tagList,
      key: z.string().min(1).max(128).optional().describe('of your choice: the same again starts no twin'),
      queue: flag('true: wait for room; default: refused'),
      wait_sec: waitSec,
      timeout_sec: seconds('the same as wait_sec'),
    }),
    output: z.strictObject({
      ...turnFields,
      ...placeFields,
    }),
    annotations: WORKS,
    async run({ task, mode, working_dir: workingDir, worktree, wait_sec, timeout_sec, ...asked }, call) {
      const begin = () =>
        call.manager.start({ ...asked, task, workingDir, worktree: worktree ? {} : undefined });
      const twin = asked.key === undefined ? await findTwin(call, task) : null;
      const answer = await answerOfNewTurn(call, begin, mode === 'sync' ? (wait_sec ?? timeout_sec) : 0);
      const { session_id } = answer;
      const summary = await call.manager.summary(session_id as SessionId);
      const ofTwin = `${twin} works on the same task: if it is yours, end_session(session_id="${session_id}")`;
      const hint = twin === null ? answer.hint : `${ofTwin}; ${answer.hint}`;
      return { ...answer, hint, ...placeOf(summary, call.manager.projectRoot()) };
    },
  });
};
