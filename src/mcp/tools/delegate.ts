import { z } from 'zod';
import type { AgentChoice } from '../../core/agent-info.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { cutText, SANDBOXES } from '../../core/session.ts';
import { nullableText, turnFields } from '../answer.ts';
import { choice, flag, seconds, text, texts, waitSec } from '../parameters.ts';
import { defineTool, type ToolCall, WORKS } from '../tool.ts';
import { answerOfNewTurn } from '../waiting.ts';

/** A session of the caller that runs and has this task: a host that loses a call and makes it again would start a twin. */
async function findTwin({ manager }: ToolCall, task: string): Promise<SessionId | null> {
  const running = await manager.list({ all: true, statuses: ['running', 'pending'], source: 'mine' });
  return running.find((row) => row.task === cutText(task))?.id ?? null;
}

/** Starts a session with one of these agents. */
export const delegate = (choices: readonly AgentChoice[]) => {
  const agents = choices
    .map(({ name, summary, found }) => `${name}${found ? '' : ' (not installed here)'}: ${summary}`)
    .join('; ');
  return defineTool({
    name: 'delegate',
    description:
      'Spawn a coding agent, a worker or sub-agent, on a task in the background; it outlives this conversation. mode ' +
      '"sync" waits for its answer, "async" returns at once: use that for several in parallel. If status is ' +
      '"running", call wait_sessions, and never delegate the same task again.',
    input: z.strictObject({
      task: z
        .string()
        .describe('what to do, with everything the agent has to know: it sees nothing of this conversation'),
      mode: choice(
        ['sync', 'async'],
        'sync, when left out: wait for the answer as long as this call may; async: return at once',
      ),
      agent: z
        .enum(choices.map(({ name }) => name))
        .optional()
        .describe(
          `the kind of agent; left out: the one that the user configured, else the first that is installed. ${agents}`,
        ),
      model: text('the model of the agent, as the agent names it; left out: the usual one'),
      working_dir: text(
        'absolute path of the directory to work in; left out: that of this server, usually the root of the project',
      ),
      sandbox: z
        .enum(SANDBOXES)
        .optional()
        .describe(
          'what the agent may touch; left out: workspace-write, unless the user configured another. read-only: it reads ' +
            'and answers, and changes nothing; workspace-write: it also writes files in its directory; ' +
            'danger-full-access: no limits, mostly refused',
        ),
      worktree: flag(
        'true: it works in a tree of its own, a git worktree with a new branch from the last commit, so that several agents change ' +
          'the same files without conflict; what is not committed is not in it. left out: in working_dir itself',
      ),
      name: text('a name by which you can call the session, of a-z 0-9 _ . -; left out: none'),
      tags: texts('words by which list_sessions can find it, each of a-z 0-9 _ . -; left out: none'),
      key: z
        .string()
        .min(1)
        .max(128)
        .optional()
        .describe(
          'a text of yours for this task: a second call with the same key starts nothing and answers for the first; left out: none',
        ),
      queue: flag('true: let it wait until there is room; left out: too many that run are a refusal'),
      wait_sec: waitSec,
      timeout_sec: seconds(
        'another word for wait_sec, which counts where both are given: the agent itself goes on',
      ),
    }),
    output: z.strictObject({
      ...turnFields,
      working_dir: nullableText.describe(
        'where it works; another session that you start may work there, too',
      ),
      branch: nullableText.describe('the branch of its own worktree, or null'),
      mode: z.enum(['sync', 'async']),
      task: z.string(),
    }),
    annotations: WORKS,
    async run({ task, mode, working_dir: workingDir, worktree, wait_sec, timeout_sec, ...asked }, call) {
      // The model does not know where this server runs, so that a relative path would mean nothing to it.
      if (workingDir?.startsWith('/') === false) {
        const hint = 'give one that begins with /';
        throw new ZwarmError('not_allowed', 'working_dir is not an absolute path', hint);
      }
      const begin = () =>
        call.manager.start({ ...asked, task, workingDir, worktree: worktree ? {} : undefined });
      const twin = asked.key === undefined ? await findTwin(call, task) : null;
      const answer = await answerOfNewTurn(call, begin, mode === 'sync' ? (wait_sec ?? timeout_sec) : 0);
      const { session_id } = answer;
      const { working_dir, worktree: tree } = await call.manager.summary(session_id as SessionId);
      const ofTwin = `${twin} works on the same task: if it is yours, end_session(session_id="${session_id}")`;
      const hint = twin === null ? answer.hint : `${ofTwin}; ${answer.hint}`;
      return { ...answer, hint, working_dir, branch: tree?.branch ?? null, mode, task: cutText(task) };
    },
  });
};
