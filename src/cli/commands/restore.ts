import { argument, defineVerb, flag } from '../define-verb.ts';
import { text } from '../parsers.ts';

/** `zwarm restore` */
export const restore = defineVerb({
  name: 'restore',
  summary: 'bring back a session that was deleted, with its tree',
  args: { ref: argument('<id>', 'id or its first 4 characters, or the name that it had', text('trashed')) },
  options: { json: flag('--json', 'print {id, name, path, branch} as JSON') },
  notes: `
A session that rm or clean deleted is in the trash for seven days if its own tree held something that exists nowhere else.
It comes back with its record, its tree with all files in it, and its name unless another session has that by now.`,
  examples: ['zwarm restore fix-login'],
  async run(verb, { ref }, { json }) {
    const restored = await verb.manager.restore(ref);
    if (json) return verb.printJson(restored);
    verb.print(restored.id);
    verb.hint(`its tree is at ${restored.path} again`);
  },
});
