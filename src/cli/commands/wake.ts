import { defineVerb } from '../define-verb.ts';
import { wakeInstall } from './wake-install.ts';

/** `zwarm wake`: what the waker and a timer call, too. */
export const wake = defineVerb({
  name: 'wake',
  summary: 'start what may begin, in all projects, and what waits for a time then',
  subcommands: [wakeInstall],
  notes: `
Nothing has to be running for what waits: the end of each turn starts the next one, and while something waits for a time, a
small process of zwarm waits with it. Only after a restart of the machine somebody has to begin: this command, or zwarm queue
run, or a timer (zwarm wake install).`,
  examples: ['zwarm wake', ['zwarm wake install', 'every five minutes, also after a restart']],
  async run(verb) {
    for (const { id, turn } of await verb.manager.wake()) verb.print(`${id} turn ${turn} started`);
  },
});
