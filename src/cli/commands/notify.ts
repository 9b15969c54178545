import { defineVerb } from '../define-verb.ts';

/** `zwarm notify`: what is started when the user is to be told something; not for people. */
export const notify = defineVerb({
  name: 'notify',
  summary: 'tell the user what waits to be told',
  hidden: true,
  run: (verb) => verb.manager.sendNotifications(),
});
