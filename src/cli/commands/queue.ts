import { ID } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { count } from '../parsers.ts';

const remove = defineVerb({
  name: 'rm',
  summary: 'withdraw what waits in a session',
  args: { ref: ID },
  options: {
    turn: value('--turn <number>', 'only this message', count(1)),
    json: flag('--json', 'print {id, turns} as JSON'),
  },
  examples: ['zwarm queue rm @last', 'zwarm queue rm docs --turn 3'],
  async run(verb, { ref }, { turn, json }) {
    const { manager } = verb;
    const id = await manager.resolve(ref);
    const turns = await manager.withdraw(id, turn);
    if (json) return verb.printJson({ id, turns });
    for (const number of turns) verb.print(`${id} turn ${number} withdrawn`);
  },
});

const run = defineVerb({
  name: 'run',
  summary: 'start waiting messages that may begin, in all projects, held ones too',
  options: { json: flag('--json', 'print an array of {id, turn} as JSON') },
  async run(verb, _args, { json }) {
    const begun = (await verb.manager.runQueue()).map(({ id, turn }) => ({ id, turn }));
    if (json) return verb.printJson(begun);
    for (const { id, turn } of begun) verb.print(`${id} turn ${turn} started`);
    if (begun.length === 0) verb.hint('nothing can begin now; see: zwarm queue');
  },
});

/** `zwarm queue` */
export const queue = defineVerb({
  name: 'queue',
  summary: 'list what waits for its turn, and why',
  options: { json: flag('--json', 'print an array as JSON') },
  subcommands: [remove, run],
  notes: `
What is started or injected with --queue waits while max_running turns run (zwarm config set max_running 3), and what is
started with --after until these sessions have completed. The end of each turn starts the next one; every command that starts,
ends or awaits something does, too.

When piped: id, turn, reason, time and message, separated by tabs.`,
  examples: [
    'zwarm queue',
    ['zwarm queue rm docs', 'withdraw what waits there'],
    ['zwarm queue run', 'after a restart of the machine'],
  ],
  async run(verb, _args, { json }) {
    const queued = await verb.manager.queued();
    if (json) return verb.printJson(queued);
    if (queued.length === 0) return verb.hint('nothing waits');
    const { stdout } = verb.context;
    const { renderQueue, renderQueueRow } = await import('../../render/queue.ts');
    if (stdout.isTTY) stdout.write(renderQueue(queued, await verb.style('stdout')));
    else for (const row of queued) verb.print(renderQueueRow(row));
  },
});
