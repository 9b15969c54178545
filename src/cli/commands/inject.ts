import { shellWord } from '../../core/shell-word.ts';
import { reportStarted } from '../await-answer.ts';
import {
  AGENT,
  FORCE,
  fileOption,
  HISTORY_CHARS,
  ID,
  MODEL,
  RETRY,
  RUN_LIMIT_OPTIONS,
  requireWaiting,
  runLimitsOf,
  WAIT_OPTIONS,
} from '../common-options.ts';
import { argument, defineVerb, flag } from '../define-verb.ts';
import { text } from '../parsers.ts';

/** `zwarm inject` */
export const inject = defineVerb({
  name: 'inject',
  summary: 'give a session its next message',
  args: { ref: ID, message: argument('[message]', 'the message; - reads it from stdin', text()) },
  options: {
    agent: AGENT,
    model: MODEL,
    interrupt: flag('--interrupt', 'stop the running turn first'),
    queue: flag('--queue', 'let it wait for what runs and waits before it', [
      'interrupt',
      'force',
      'history-chars',
    ]),
    force: FORCE,
    historyChars: HISTORY_CHARS,
    ...RUN_LIMIT_OPTIONS,
    retries: RETRY,
    file: fileOption('message'),
    ...WAIT_OPTIONS,
  },
  notes: `
The agent continues the conversation in the same directory and sandbox.

It continues in its own thread. Where that is gone, was never named, or differs from the conversation (after a rewind, a
compaction or a fork), it gets a transcript of the conversation in a new one. So does another agent (-a), which goes on
from there.`,
  examples: [
    'zwarm inject @last "now update the docs too"',
    'zwarm inject @last --wait "which files did you change?"',
    'zwarm inject fix-login --interrupt "stop, use the other database"',
    ['zwarm inject fix-login -a claude "review that"', 'another agent goes on'],
    'npm test 2>&1 | zwarm inject fix-login -',
  ],
  async run(
    verb,
    { ref, message: argument },
    {
      agent,
      model,
      interrupt,
      queue,
      force,
      historyChars,
      file,
      maxTimeMs,
      maxSilenceMs,
      maxLogBytes,
      retries,
      ...report
    },
  ) {
    requireWaiting(report);
    const { manager } = verb;
    const id = await manager.resolve(ref);
    const runLimits = runLimitsOf({ maxTimeMs, maxSilenceMs, maxLogBytes });
    const next = { agent, model, interrupt, queue, force, historyChars, runLimits, retries };
    const source = { argument, file, what: 'message', line: `zwarm inject ${shellWord(ref)}` } as const;
    const { withTask } = await import('../task-input.ts');
    const started = await withTask(verb.context, source, {
      check: () => manager.checkInject(id, next),
      use: (message) => manager.inject(id, message, next),
    });
    await reportStarted(verb, started, { ...report, retries });
  },
});
