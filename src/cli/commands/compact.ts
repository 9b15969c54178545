import type { ContextFill } from '../../core/conversation/compact.ts';
import { reportSession, reportStarted } from '../await-answer.ts';
import { HISTORY_CHARS, ID, requireWaiting, WAIT_OPTIONS } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { number } from '../parsers.ts';

const share = number(/^(0?\.\d{1,6}|1|1\.0{1,6})$/, 1e-6, 'a share between 0 and 1', '0.8');

function whyNot(fill: ContextFill | null): string {
  if (fill === null || fill.window === null) return 'it is not known how full the context is';
  const percent = Math.floor((100 * fill.tokens) / fill.window);
  const [tokens, window] = [fill.tokens, fill.window].map((number) => number.toLocaleString('en-US'));
  return `its context is ${percent} % full (${tokens} of ${window} tokens)`;
}

/** `zwarm compact` */
export const compact = defineVerb({
  name: 'compact',
  summary: 'continue a long conversation from a summary of it',
  args: { ref: ID },
  options: {
    ifOver: value('--if-over <share>', 'only if more than this share of the context is used', share),
    historyChars: HISTORY_CHARS,
    ...WAIT_OPTIONS,
    wait: flag('-w, --wait', 'wait for the end and print the summary'),
  },
  notes: `
The agent writes a summary, in an ordinary turn. The next message begins a new thread, which knows the summary and nothing
else. zwarm rewind undoes it.`,
  examples: [
    ['zwarm compact @last --wait', 'print the summary'],
    ['zwarm compact @last --if-over 0.8', 'only if more than 80 % is used'],
  ],
  async run(verb, { ref }, { ifOver, historyChars, ...report }) {
    requireWaiting(report);
    const compacted = await verb.manager.compact(ref, { ifOver, historyChars });
    if (compacted.started !== null) return reportStarted(verb, compacted.started, report);
    const { id, fill } = compacted;
    return reportSession(verb, { id, hint: `not compacted: ${whyNot(fill)}` }, report);
  },
});
