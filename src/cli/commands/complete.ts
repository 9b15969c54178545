import { resolve } from 'node:path';
import { safeLine } from '../../render/text/safe-text.ts';
import { type Commands, mayHaveAlias } from '../alias.ts';
import type { Verb } from '../context.ts';
import { argument, defineVerb, type VerbDefinition } from '../define-verb.ts';
import type { CommandPage } from '../help/help-page.ts';
import { text } from '../parsers.ts';

/** A path as it was typed: a shell that asks has not yet replaced a `~`. */
function pathOf(typed: string | undefined, { cwd, env }: Verb['context']): string | null {
  return typed === undefined ? null : resolve(cwd, typed.replace(/^~(?=\/|$)/, env['HOME'] ?? '~'));
}

/** The manager for the global options of the unfinished line. */
function managerOf(verb: Verb, values: ReadonlyMap<string, string>): Verb['manager'] {
  const cwd = pathOf(values.get('--project'), verb.context);
  const stateDir = pathOf(values.get('--state-dir'), verb.context);
  return verb.managerFor({ ...(cwd === null ? {} : { cwd }), ...(stateDir === null ? {} : { stateDir }) });
}

/**
 * `zwarm complete -- WORDS…`, for the scripts of `zwarm completion`: what can stand for the last of these words of a line
 * begun with `zwarm`. Prints lines of a word and what it stands for, with a tab between, or the one line `:file` or
 * `:directory`, where the shell itself knows best.
 */
export function completeVerb(program: () => CommandPage & Commands): VerbDefinition {
  return defineVerb({
    name: 'complete',
    summary: 'say what can follow on a command line',
    hidden: true,
    args: { words: argument('[words...]', 'the words behind zwarm, up to the cursor', text()) },
    async run(verb, { words }) {
      // Loaded only here: no other command needs it.
      const { completeLine } = await import('../complete-line.ts');
      const all = program();
      const [line, page] = mayHaveAlias(words.slice(0, -1), all)
        ? await (await import('../complete-aliases.ts')).withAliases(words, all, verb.context)
        : [words, all];
      const { before, typed, wanted, given, values } = completeLine(line, page);
      if (wanted === null) return;
      if (wanted === 'file' || wanted === 'directory') return verb.print(`:${wanted}`);
      const candidates =
        typeof wanted === 'object' ? wanted : await managerOf(verb, values).complete(wanted, typed);
      for (const { word, about } of candidates)
        if (word.startsWith(typed) && !given.includes(word))
          verb.print(`${before}${word}\t${safeLine(about)}`);
    },
  });
}
