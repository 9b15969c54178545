import { z } from 'zod';
import { common, nullableText, succeeded } from '../answer.ts';
import { flag, sessionId } from '../parameters.ts';
import { defineTool, ENDS } from '../tool.ts';

/** Lands what a session changed; only for models that the user lets do that. */
export const land = defineTool({
  name: 'land',
  description:
    'Commit what a session changed in its worktree onto the branch that this came from, in the name of the user. Look ' +
    'at it first: get_changes. A conflict names the files and changes nothing.',
  input: z.strictObject({
    session_id: sessionId,
    dry_run: flag('true: only say what would land; default: land it'),
  }),
  output: z.strictObject({
    ...common,
    session_id: z.string(),
    onto: z.string().describe('the branch'),
    from: z.string().describe('its commit before'),
    commit: nullableText.describe(
      'the one that it has now, or would have; null where it has all of it already',
    ),
    files: z.number().describe('how many files that changes'),
    added: z.number(),
    removed: z.number(),
    left_out: z.array(z.string()).describe('files that are too large to be landed; they stay in the tree'),
  }),
  annotations: ENDS,
  async run({ session_id, dry_run: dryRun = false }, { manager }) {
    const { id, ...landed } = await manager.land(await manager.resolve(session_id), {
      way: 'squash',
      dryRun,
    });
    return { ...succeeded(null), session_id: id, ...landed, left_out: [...landed.left_out] };
  },
});
