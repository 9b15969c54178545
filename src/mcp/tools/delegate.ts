import { z } from 'zod';
import { ZwarmError } from '../../core/errors.ts';
import { cutText, SANDBOXES } from '../../core/session.ts';
import { turnFields, waitSec } from '../answer.ts';
import { defineTool, WORKS } from '../tool.ts';
import { answerOfNewTurn } from '../waiting.ts';

/** Starts a session. */
export const delegate = defineTool({
  name: 'delegate',
  description:
    'Give a task to a new coding agent that works by itself in the background. mode "sync" waits for its answer as ' +
    'long as this call may take; status "running" then means that it continues: call check_session, never delegate ' +
    'again. mode "async" returns at once: use it to have several agents work at the same time.',
  input: z.strictObject({
    task: z
      .string()
      .describe('what to do, with everything the agent has to know: it sees nothing of this conversation'),
    mode: z.enum(['sync', 'async']).default('sync'),
    agent: z.string().optional().describe('the kind of agent; leave it out for the usual one'),
    model: z.string().optional().describe("the agent's model; leave it out for the usual one"),
    working_dir: z
      .string()
      .optional()
      .describe('absolute path of the directory to work in; the directory of this server when left out'),
    sandbox: z
      .enum(SANDBOXES)
      .optional()
      .describe('what the agent may touch; leave it out for the usual one'),
    name: z.string().optional().describe('a name to tell the session by: a-z 0-9 _ . -'),
    wait_sec: waitSec,
  }),
  output: z.strictObject({ ...turnFields, mode: z.enum(['sync', 'async']), task: z.string() }),
  annotations: WORKS,
  async run({ task, mode, working_dir: workingDir, wait_sec, ...asked }, call) {
    // The model does not know where this server runs, so that a relative path would mean nothing to it.
    if (workingDir?.startsWith('/') === false) {
      const hint = 'give one that begins with /';
      throw new ZwarmError('not_allowed', 'working_dir is not an absolute path', hint);
    }
    const begin = () => call.manager.start({ ...asked, task, workingDir });
    const answer = await answerOfNewTurn(call, begin, mode === 'sync' ? wait_sec : 0);
    return { ...answer, mode, task: cutText(task) };
  },
});
