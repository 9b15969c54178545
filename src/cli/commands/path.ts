import { safeLine } from '../../render/text/safe-text.ts';
import { ID } from '../common-options.ts';
import { defineVerb, flag } from '../define-verb.ts';

/** `zwarm path` */
export const path = defineVerb({
  name: 'path',
  summary: 'print the directory in which a session works',
  args: { ref: ID },
  options: { json: flag('--json', 'print {id, path} as JSON') },
  notes: `
For a session with its own tree, that is the tree. It fails if the directory is gone, or its path leads to another one.`,
  examples: [['cd "$(zwarm path fix-login)"', 'go there'], 'git -C "$(zwarm path @last)" diff'],
  async run(verb, { ref }, { json }) {
    const { manager } = verb;
    const id = await manager.resolve(ref);
    const { directory } = await manager.placeOf(id);
    if (json) verb.printJson({ id, path: directory });
    // Elsewhere than on a terminal it is the path, byte for byte.
    else verb.print(verb.context.stdout.isTTY ? safeLine(directory) : directory);
  },
});
