import { beginSession } from '../begin-session.ts';
import { fileOption, SESSION_OPTIONS, WAIT_OPTIONS } from '../common-options.ts';
import { argument, defineVerb } from '../define-verb.ts';

/** `zwarm start` */
export const start = defineVerb({
  name: 'start',
  summary: 'start an agent on a task in the background, and print the id of its session',
  args: { task: argument('[task]', 'what to do; - reads it from stdin') },
  options: { ...SESSION_OPTIONS, file: fileOption('task'), ...WAIT_OPTIONS },
  notes: `
The task is the argument, the text on stdin (- or a pipe), a file (-F), or what you write in your editor.`,
  examples: [
    'zwarm start "fix the failing tests"',
    'zwarm start -s read-only -C ~/src/app "what does this project do?"',
    ['git diff | zwarm start --wait -', 'the answer on stdout'],
    'zwarm start -F task.md --name docs',
    'zwarm start -- "--dry-run does nothing: find out why"',
  ],
  run: (verb, { task }, options) => beginSession(verb, task, options),
});
