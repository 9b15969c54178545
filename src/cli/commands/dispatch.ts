import { defineVerb } from '../define-verb.ts';

/** `zwarm dispatch`: what a command starts that others relied on while it looked at the queue; not for people. */
export const dispatch = defineVerb({
  name: 'dispatch',
  summary: 'look at the queues for others that wished it',
  hidden: true,
  run: (verb) => verb.manager.dispatchWished(),
});
