import { usageError, type ZwarmError } from '../../core/errors.ts';
import { closest } from '../../core/suggest.ts';
import type { CommandPage } from './help-page.ts';
import { SYNONYMS } from './synonyms.ts';

/** The error for a word that is no command of this page: what it is called here, or which command is nearly it. */
export function unknownCommand(word: string, { path, definition, groups }: CommandPage): ZwarmError {
  const problem = `unknown command ${JSON.stringify(word)}`;
  const isProgram = path === definition.name;
  if (isProgram && /\s/.test(word))
    return usageError(problem, `to start an agent with a task: ${path} start "…"`);
  const synonym = isProgram ? SYNONYMS.get(word.toLowerCase()) : undefined;
  if (synonym !== undefined) return usageError(problem, `zwarm calls it: ${path} ${synonym}`);
  const verbs = groups.flatMap(({ verbs }) => verbs);
  const guess = closest(
    word,
    verbs.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
  );
  return usageError(problem, guess === null ? `see ${path} --help` : `did you mean: ${path} ${guess}`);
}
