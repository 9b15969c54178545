import { reportStarted } from '../await-answer.ts';
import { fileOption, HISTORY_CHARS, ID, requireWaiting, WAIT_OPTIONS } from '../common-options.ts';
import { argument, defineVerb, flag } from '../define-verb.ts';
import { withTask } from '../task-input.ts';

/** `zwarm inject` */
export const inject = defineVerb({
  name: 'inject',
  summary: 'give a session its next message',
  args: { ref: ID, message: argument('[message]', 'the message; - reads it from stdin') },
  options: {
    interrupt: flag('--interrupt', 'stop the running turn first'),
    force: flag('--force', 'also a session whose host or container is gone for good (status unknown)'),
    historyChars: HISTORY_CHARS,
    file: fileOption('message'),
    ...WAIT_OPTIONS,
  },
  notes: `
The agent continues the conversation in the same directory and sandbox.

It continues in its own thread. A new thread gets a transcript of the conversation where the agent's thread is gone, was
never named, or differs from the conversation (after a rewind, a compaction or a fork).`,
  examples: [
    'zwarm inject @last "now update the docs too"',
    'zwarm inject ab3 --wait "which files did you change?"',
    'zwarm inject ab3 --interrupt "stop, use the other database"',
    'npm test 2>&1 | zwarm inject ab3 -',
  ],
  async run(verb, { ref, message: argument }, { interrupt, force, historyChars, file, ...report }) {
    requireWaiting(report);
    const { manager } = verb;
    const id = manager.resolve(ref);
    const next = { interrupt, force, historyChars };
    const source = { argument, file, what: 'message' } as const;
    const started = await withTask(verb.context, source, {
      check: () => manager.checkInject(id, next),
      use: (message) => manager.inject(id, message, next),
    });
    await reportStarted(verb, started, report);
  },
});
