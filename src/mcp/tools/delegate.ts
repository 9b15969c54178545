import { z } from 'zod';
import { ZwarmError } from '../../core/errors.ts';
import { cutText } from '../../core/session.ts';
import { sandbox, turnFields, waitSec } from '../fields.ts';
import { defineTool, WORKS } from '../tool.ts';
import { answerOfBegun, requireWanted, secondsOf } from '../waiting.ts';

/** The model does not know where this server runs, so that a relative path would mean nothing to it. */
function requireAbsolute(path: string | undefined): string | undefined {
  if (path === undefined || path.startsWith('/')) return path;
  throw new ZwarmError('not_allowed', 'working_dir is not an absolute path', 'give one that begins with /');
}

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
    sandbox: sandbox.optional().describe('what the agent may touch; leave it out for the usual one'),
    name: z.string().optional().describe('a name to tell the session by: a-z 0-9 _ . -'),
    wait_sec: waitSec,
  }),
  output: z.strictObject({ ...turnFields, mode: z.enum(['sync', 'async']), task: z.string() }),
  annotations: WORKS,
  async run({ task, mode, agent, model, working_dir, sandbox, name, wait_sec }, call) {
    const { manager } = call;
    const seconds = mode === 'sync' ? secondsOf(call, wait_sec) : 0;
    const workingDir = requireAbsolute(working_dir);
    requireWanted(call);
    const begun = await manager.start({ task, agent, model, sandbox, name, workingDir });
    return { ...(await answerOfBegun(call, begun, seconds)), mode, task: cutText(task) };
  },
});
