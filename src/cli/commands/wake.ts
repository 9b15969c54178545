import { defineVerb } from '../define-verb.ts';
import { wakeInstall } from './wake-install.ts';

/** `zwarm wake`: what the waker and a timer call, too. */
export const wake = defineVerb({
  name: 'wake',
  summary: 'start waiting messages that may begin, in all projects',
  subcommands: [wakeInstall],
  notes: `
Waiting messages need no server: the end of each turn starts the next one, and a small process waits for those with a time.
Only after a restart of the machine somebody has to begin: you with this command or zwarm queue run, or a timer (zwarm wake
install).`,
  examples: ['zwarm wake', ['zwarm wake install', 'every five minutes, also after a restart']],
  async run(verb) {
    for (const { id, turn } of await verb.manager.wake()) verb.print(`${id} turn ${turn} started`);
  },
});
