/** So many of a kind are told: a file by an agent could have thousands. */
const TOLD = 5;

/** The first few notices, and how many more there are: `rest` says it. */
export function firstOf(notices: readonly string[], rest: (more: number) => string): readonly string[] {
  const more = notices.length - TOLD;
  return more <= 0 ? notices : [...notices.slice(0, TOLD), rest(more)];
}
