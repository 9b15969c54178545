import type { Step } from './steps.ts';

/** The files that a step has changed. Paths are the agent's words. */
export function changedFiles(step: Step): readonly string[] {
  return step.type === 'file_change' && step.status === 'completed'
    ? step.changes.map(({ path }) => path)
    : [];
}

/** A path as it is told in a directory: from there if it lies below, else as it is. */
export function pathFrom(directory: string | null, path: string): string {
  if (directory === null) return path;
  const base = directory.endsWith('/') ? directory : `${directory}/`;
  return path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path;
}
