import { resolve } from 'node:path';
import { noteSeen, reportSession } from '../await-answer.ts';
import { REPORT_OPTIONS } from '../common-options.ts';
import { argument, defineVerb, value } from '../define-verb.ts';
import { count, text } from '../parsers.ts';

const DEFAULT_GIB = 4;

/** `zwarm unpack` */
export const unpack = defineVerb({
  name: 'unpack',
  summary: 'take a session out of a file into this project',
  args: { file: argument('<file>', 'what zwarm pack has written; - for stdin', text('file')) },
  options: {
    mostGib: value('--max-gib <number>', 'refuse what is larger, unpacked (default: 4)', count(1)),
    ...REPORT_OPTIONS,
  },
  notes: `
Every file in it is checked before the session appears; a session that is here already is left as it is.

What its agent may do is not decided by the file: it works in this project, in the sandbox workspace-write at most, without
the arguments that were given to it. What was said in it comes from whoever packed it: read it before you go on with it.`,
  examples: ['zwarm unpack abcdefghjk.zwarm.tgz', 'zwarm unpack - < fix.tgz'],
  async run(verb, { file }, { mostGib = DEFAULT_GIB, ...report }) {
    const { manager, context } = verb;
    const pieces =
      file === '-' ? context.stdin.pieces() : await manager.readArchive(resolve(context.cwd, file));
    const signal = context.onInterrupt();
    const { id, already, native, warnings } = await manager.unpack(pieces, {
      mostBytes: mostGib * 2 ** 30,
      signal,
    });
    for (const warning of warnings) verb.warn(warning);
    if (already) verb.warn(`${id} is here already: nothing was changed`);
    // It ended elsewhere, for others to notice.
    if (!already) await noteSeen(verb, id, (await manager.summary(id)).turn);
    const where = native ? "in its agent's own thread" : 'with a transcript';
    const hint = `go on with it, ${where}: zwarm inject ${id} "…"`;
    await reportSession(verb, { id, hint }, report);
  },
});
