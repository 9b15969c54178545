import { usageError } from '../../core/errors.ts';
import { shellWord } from '../../core/shell-word.ts';
import { counted } from '../../render/text/units.ts';
import { ID } from '../common-options.ts';
import { defineVerb } from '../define-verb.ts';

/** `zwarm open` */
export const open = defineVerb({
  name: 'open',
  summary: "go on with a session in the agent's own program",
  args: { ref: ID },
  notes: `
Hands the terminal over to Codex or Claude Code, on the thread of the session and in its directory. What was said there
becomes turns of the session (external) when the program ends, as far as the agent's own file shows it; until then the
session takes no other message.

The program asks you before it does something, as always; zwarm does not confine it.`,
  examples: ['zwarm open @last', 'zwarm open fix-login'],
  async run(verb, { ref }) {
    const { manager, context } = verb;
    if (!context.stdin.isTTY || !context.stdout.isTTY)
      throw usageError('open needs a terminal', `from a script: zwarm inject ${shellWord(ref)} "…"`);
    const { id, agent, code, turns, warning } = await manager.open(ref, ({ program, args, ...place }) =>
      context.handOver(program, args, place),
    );
    if (warning !== null) verb.warn(warning);
    if (code !== 0) verb.warn(`${agent} ended with ${code === null ? 'a signal' : `exit code ${code}`}`);
    verb.hint(
      turns === 0 ? `nothing was said in ${agent}` : `${counted(turns, 'turn')} added; see: zwarm show ${id}`,
    );
    verb.exit(code === 0 ? 0 : 1);
  },
});
