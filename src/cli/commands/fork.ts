import { usageError } from '../../core/errors.ts';
import { shellWord } from '../../core/shell-word.ts';
import { reportSession, reportStarted } from '../await-answer.ts';
import {
  AGENT,
  fileOption,
  HISTORY_CHARS,
  ID,
  MODEL,
  requireWaiting,
  WAIT_OPTIONS,
} from '../common-options.ts';
import { argument, defineVerb, flag, value } from '../define-verb.ts';
import { count, text } from '../parsers.ts';

/** `zwarm fork` */
export const fork = defineVerb({
  name: 'fork',
  summary: 'begin a session with a copy of a conversation',
  args: {
    ref: ID,
    message: argument('[message]', 'the first message of its own; - reads it from stdin', text()),
  },
  options: {
    agent: AGENT,
    model: MODEL,
    turn: value('--turn <number>', 'as it was right after this turn', count(1)),
    historyChars: HISTORY_CHARS,
    workingDir: value(
      '-C, --directory <dir>',
      'where it works (default: where the session does)',
      text('directory'),
    ),
    worktree: flag('-W, --worktree', 'copy its files, too, into a git worktree with a new branch'),
    branch: value('--branch <name>', 'with -W: that branch (default: zwarm/ID)', text()),
    file: fileOption('message'),
    ...WAIT_OPTIONS,
  },
  notes: `
The fork has its own id and begins with a copy of the conversation. Both sessions continue independently in the same
directory, and either can be deleted. With -C the fork works elsewhere, also where the directory is gone. With -W it works in
a tree of its own, which begins with the files as they are now, whatever --turn says.`,
  examples: [
    'zwarm fork fix-login "try it with a cache instead"',
    ['zwarm fork @last --turn 2', 'as it was after turn 2; waits for zwarm inject'],
    'zwarm fork fix-login -a claude "do it your way"',
    'zwarm fork @last --wait "summarise what we have"',
    ['zwarm fork -C ~/src/app fix-login "and here?"', 'in another directory'],
    ['zwarm fork -W fix-login "try it without the cache"', 'in a copy of its files'],
  ],
  async run(
    verb,
    { ref, message: argument },
    { agent, model, turn, historyChars, workingDir, worktree: hasTree, branch, file, ...report },
  ) {
    requireWaiting(report);
    const { manager } = verb;
    const given = argument !== undefined || file !== undefined;
    if (!given && (agent ?? model) !== undefined) {
      const hint = `give the first message: zwarm fork ${shellWord(ref)} … "…"`;
      throw usageError('-a and -m say who answers a message, and there is none', hint);
    }
    if (branch !== undefined && !hasTree)
      throw usageError('--branch is of a tree of its own', 'add -W, or leave it out');
    if (workingDir !== undefined && hasTree)
      throw usageError('-C and -W both say where it works', 'leave one of them out');
    const worktree = hasTree ? { branch } : undefined;
    const from = await manager.resolve(ref);
    const source = { argument, file, what: 'message', line: `zwarm fork ${shellWord(ref)}` } as const;
    const { readTask } = await import('../task-input.ts');
    const message = given ? await readTask(verb.context, source) : undefined;
    const {
      id,
      turn: newest,
      started,
      notes,
    } = await manager.fork(from, { agent, model, turn, message, historyChars, workingDir, worktree });
    if (!report.quiet) for (const note of notes) verb.warn(note);
    if (started !== null) return reportStarted(verb, started, report);
    const hint = `forked after turn ${newest} of ${from}; continue with: zwarm inject ${id} "…"`;
    return reportSession(verb, { id, hint }, report);
  },
});
