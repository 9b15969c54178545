import { resolve } from 'node:path';
import { usageError } from '../../core/errors.ts';
import { safeLine } from '../../render/text/safe-text.ts';
import { ID } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { text } from '../parsers.ts';

/** `zwarm pack` */
export const pack = defineVerb({
  name: 'pack',
  summary: 'write a session to one file, for another machine',
  args: { ref: ID },
  options: {
    output: value('-o, --output <file>', 'the file (default: ID.zwarm.tgz); - for stdout', text('file')),
    withThread: flag('--with-thread', "with the agent's own file of the conversation, to go on natively"),
    force: flag('--force', 'replace a file that is there'),
    json: flag('--json', 'print {id, file, bytes} as JSON'),
  },
  notes: `
The file holds the records of the session and nothing of its environment: messages, output, diffs as the agent printed
them. It can be read by whoever gets it. Refused while the session runs.

zwarm unpack takes it in elsewhere.`,
  examples: [
    'zwarm pack fix-login',
    ['zwarm pack @last --with-thread -o fix.tgz', 'its agent goes on where it was'],
    ['zwarm pack @last -o - | ssh host "cd shop && zwarm unpack -"', 'to another machine'],
  ],
  async run(verb, { ref }, { output, withThread, force, json }) {
    const { manager, context } = verb;
    const { stdout } = context;
    if (output === '-' && (stdout.isTTY || json))
      throw usageError('the archive is not text for a terminal', 'name a file with -o FILE, or pipe it on');
    const packing = await manager.pack(ref, { withThread, version: context.version() });
    for (const warning of packing.warnings) verb.warn(warning);
    const signal = context.onInterrupt();
    if (output === '-') {
      return packing.send(async (pieces) => {
        for await (const piece of pieces) await stdout.send(piece);
      }, signal);
    }
    const { id, bytes } = packing;
    const file = resolve(context.cwd, output ?? `${id}.zwarm.tgz`);
    await manager.saveFile(packing, file, { force, signal });
    if (json) verb.printJson({ id, file, bytes });
    else verb.print(safeLine(file));
  },
});
