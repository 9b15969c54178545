import type { Step } from './steps.ts';

/** The files that a step has changed. Paths are the agent's words. */
export function changedFiles(step: Step): readonly string[] {
  return step.type === 'file_change' && step.status === 'completed'
    ? step.changes.map(({ path }) => path)
    : [];
}

/** A path relative to a directory if it lies below it, else unchanged. */
export function pathFrom(directory: string | null, path: string): string {
  if (directory === null) return path;
  const base = directory.endsWith('/') ? directory : `${directory}/`;
  return path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path;
}
