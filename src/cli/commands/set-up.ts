import { defineVerb } from '../define-verb.ts';

/** `zwarm set-up`: what the turn runner calls before the first turn in a new worktree; not for people. */
export const setUp = defineVerb({
  name: 'set-up',
  summary: 'make the worktree of a turn ready',
  hidden: true,
  async run(verb) {
    if (!(await verb.manager.setUp((line) => verb.print(line)))) verb.exit(1);
  },
});
