/** What is to be typed on a command line of zwarm, or an option of it. */
const FOR_PEOPLE = /\bzwarm \w|(^|\s)-{1,2}[a-z]/i;
/** A command of another program, in a hint. */
const FOREIGN = /`(?!zwarm)[^`]*`/g;

/** What of a hint is of use to a model, which types no commands of zwarm; null where that is nothing. */
export function forModel(hint: string | null): string | null {
  const clauses = hint?.split(/(?<=[,;]) /) ?? [];
  const kept = clauses.filter((clause) => !FOR_PEOPLE.test(clause.replace(FOREIGN, '')));
  return kept.join(' ').replace(/^or |[,;]$/g, '') || null;
}
