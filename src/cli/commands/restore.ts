import { argument, defineVerb, flag } from '../define-verb.ts';
import { text } from '../parsers.ts';

/** `zwarm restore` */
export const restore = defineVerb({
  name: 'restore',
  summary: 'bring back a session that was deleted, with its tree',
  args: { ref: argument('<id>', 'id or its first 4 characters, or the name that it had', text('trashed')) },
  options: { json: flag('--json', 'print {id, name, path, branch} as JSON') },
  notes: `
What rm and clean delete is in the trash for seven days if its tree of its own holds what exists nowhere else: the record, the
tree with all that is in it, and the name, which it gets again if no other session has it by now.`,
  examples: ['zwarm restore fix-login'],
  async run(verb, { ref }, { json }) {
    const restored = await verb.manager.restore(ref);
    if (json) return verb.printJson(restored);
    verb.print(restored.id);
    verb.hint(`its tree is at ${restored.path} again`);
  },
});
