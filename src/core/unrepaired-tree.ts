import { shellWord } from './shell-word.ts';

/** What to tell the user of a worktree that git does not know as one of a repository which was moved. */
export const unrepairedTree = (path: string): string =>
  `git does not know ${path} any more; to say where it is: git worktree repair ${shellWord(path)}`;
