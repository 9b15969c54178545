/** A path as it stands in a list: one with characters that break a line is quoted. */
const inList = (path: string): string => (/[\0-\x1f\x7f]/.test(path) ? JSON.stringify(path) : path);

/**
 * The message by which an agent is asked to merge: `files` are those that both sides changed, `unmarked` those of them in which
 * there are no markers, as one side deleted them or they are not text.
 */
export function mergeRequest(branch: string, files: readonly string[], unmarked: readonly string[]): string {
  const list = (some: readonly string[]) => some.map((path) => `- ${inList(path)}`).join('\n');
  const marked = files.filter((path) => !unmarked.includes(path));
  const parts = [
    `While you worked, the branch ${branch} was changed in the same places as your files. What it has was just merged into your files; what could not be merged by itself is left to you.`,
    marked.length === 0
      ? null
      : `These files have both versions in them, between lines that begin with <<<<<<<, ======= and >>>>>>>: first what ${branch} has, then what you had.\n\n${list(marked)}\n\nEdit them so that both changes do what they were meant to do, and take these lines out.`,
    unmarked.length === 0
      ? null
      : `Each of these files was deleted on one side, or is not text, so that only one version is there. Decide what is to become of it.\n\n${list(unmarked)}`,
    'Change nothing else, and leave staging, committing and merging by git to me. Then say in a few words how you have merged them.',
  ];
  return `${parts.filter((part) => part !== null).join('\n\n')}\n`;
}
