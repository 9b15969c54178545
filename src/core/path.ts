const prefixOf = (directory: string): string => (directory.endsWith('/') ? directory : `${directory}/`);

/** Whether a path is a directory or lies in it; both absolute, without links. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(prefixOf(directory));
}

/** A path relative to a directory if it lies below it, else unchanged. */
export function pathFrom(directory: string | null, path: string): string {
  if (directory === null || !isWithin(path, directory)) return path;
  return path.slice(prefixOf(directory).length) || path;
}

/** An absolute path and all directories above it, the nearest first. */
export function upwards(path: string): readonly string[] {
  const above = path.slice(0, path.lastIndexOf('/')) || '/';
  return path === '/' ? ['/'] : [path, ...upwards(above)];
}
