import { reportSession, reportStarted } from '../await-answer.ts';
import { fileOption, HISTORY_CHARS, ID, requireWaiting, WAIT_OPTIONS } from '../common-options.ts';
import { argument, defineVerb, value } from '../define-verb.ts';
import { count } from '../parsers.ts';
import { readTask } from '../task-input.ts';

/** `zwarm fork` */
export const fork = defineVerb({
  name: 'fork',
  summary: 'create a session that begins with the conversation of another one',
  args: { ref: ID, message: argument('[message]', 'the first message of its own; - reads it from stdin') },
  options: {
    turn: value('--turn <number>', 'as it was right after this turn', count(1)),
    historyChars: HISTORY_CHARS,
    file: fileOption('message'),
    ...WAIT_OPTIONS,
  },
  notes: `
The fork has its own id and begins with a copy of the conversation. Both sessions continue independently in the same
directory, and either can be deleted.`,
  examples: [
    'zwarm fork ab3 "try it with a cache instead"',
    ['zwarm fork ab3 --turn 2', 'as it was after turn 2; waits for zwarm inject'],
    'zwarm fork ab3 --wait "summarise what we have"',
  ],
  async run(verb, { ref, message: argument }, { turn, historyChars, file, ...report }) {
    requireWaiting(report);
    const { manager } = verb;
    const from = manager.resolve(ref);
    const given = argument !== undefined || file !== undefined;
    const message = given ? await readTask(verb.context, { argument, file, what: 'message' }) : undefined;
    const { id, turn: newest, started } = await manager.fork(from, { turn, message, historyChars });
    if (started !== null) return reportStarted(verb, started, report);
    const hint = `forked after turn ${newest} of ${from}; continue with: zwarm inject ${id} "…"`;
    return reportSession(verb, { id, hint }, report);
  },
});
