import { defineVerb } from '../define-verb.ts';

/** `zwarm settle`: what the turn runner calls when its agent has ended; not for people. */
export const settle = defineVerb({
  name: 'settle',
  summary: 'record how a turn ended',
  hidden: true,
  async run(verb) {
    await verb.manager.settle();
  },
});
