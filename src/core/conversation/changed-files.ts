import type { TurnSteps } from '../session.ts';

/** The files that the agent has changed, each once, in the order of their first change. Paths are the agent's words. */
export function changedFiles(turns: readonly TurnSteps[]): string[] {
  const paths = turns.flatMap(({ steps }) =>
    steps.flatMap((step) =>
      step.type === 'file_change' && step.status === 'completed' ? step.changes.map(({ path }) => path) : [],
    ),
  );
  return [...new Set(paths)];
}

/** A path as it is told in a directory: from there if it lies below, else as it is. */
export function pathFrom(directory: string | null, path: string): string {
  if (directory === null) return path;
  const base = directory.endsWith('/') ? directory : `${directory}/`;
  return path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path;
}
