import { argument, defineVerb } from '../define-verb.ts';
import { text } from '../parsers.ts';
import { BEGIN_OPTIONS, beginSession } from './start.ts';

/** `zwarm orchestrate` */
export const orchestrate = defineVerb({
  name: 'orchestrate',
  summary: 'start an agent that leads others to a goal',
  args: { goal: argument('[goal]', 'what to reach; - reads it from stdin', text()) },
  options: BEGIN_OPTIONS,
  notes: `
The agent gets the tools of zwarm mcp: it splits the goal into tasks, starts a session for each, waits for them, reviews
what they did and reports. Its sessions work below this project, in a sandbox no wider than its own. See zwarm config for
the limits.`,
  examples: [
    'zwarm orchestrate "port all tests to vitest, one package per agent"',
    ['zwarm ls --tree', 'it, and what it has started'],
    'zwarm logs -f @last',
    ['zwarm kill --tree @last', 'end it with all of them'],
  ],
  run: (verb, { goal }, options) => beginSession(verb, goal, options, true),
});
