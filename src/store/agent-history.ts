import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../core/errors.ts';
import { DamagedRecord, entriesOf, unlessDamaged } from './read-file.ts';

/** A file that an agent keeps of a conversation: its path and its size in bytes. */
export interface HistoryFile {
  readonly path: string;
  readonly bytes: number;
}

/** Whether a name fits a pattern, in which a `*` may stand for any part of it. */
function fits(name: string, pattern: string): boolean {
  const [head = '', tail] = pattern.split('*');
  if (tail === undefined) return name === pattern;
  return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail);
}

/** Whether a file of that name can be one that these patterns find, whatever directory it is in. */
export function isHistoryName(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => fits(name, pattern.split('/').at(-1) ?? ''));
}

/** The names in a directory that fit a pattern with a `*`, the greatest first. */
function namesLike(pattern: string, directory: string): readonly string[] {
  const names = entriesOf(directory).map(({ name }) => name);
  return names
    .filter((name) => fits(name, pattern))
    .sort()
    .reverse();
}

function find(directory: string, [pattern = '', ...rest]: readonly string[]): HistoryFile | null {
  for (const name of pattern.includes('*') ? namesLike(pattern, directory) : [pattern]) {
    const path = join(directory, name);
    const found = rest.length > 0 ? find(path, rest) : fileAt(path);
    if (found !== null) return found;
  }
  return null;
}

function fileAt(path: string): HistoryFile | null {
  try {
    const stat = statSync(path);
    return stat.isFile() ? { path, bytes: stat.size } : null;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

/**
 * The first file below an agent's directory that fits one of the patterns, in which `*` stands for any part of one name;
 * null where there is none, undefined where the directory is missing or may not be read. Links are followed.
 */
export function findHistory(directory: string, patterns: readonly string[]): HistoryFile | null | undefined {
  try {
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return undefined;
    for (const pattern of patterns) {
      const found = find(directory, pattern.split('/'));
      if (found !== null) return found;
    }
    return null;
  } catch (error) {
    // The file may exist, but we may not look, or links lead in a circle.
    if (error instanceof DamagedRecord || isErrno(error, 'EACCES', 'EPERM', 'ELOOP')) return undefined;
    throw error;
  }
}

/** The files below a directory that fit a pattern, the greatest names first; none where it may not be read. */
export function* allHistory(
  directory: string,
  pattern: string,
): Generator<HistoryFile & { modifiedMs: number }> {
  const [head = '', ...rest] = pattern.split('/');
  for (const name of unlessDamaged(() => namesLike(head, directory)) ?? []) {
    const path = join(directory, name);
    if (rest.length > 0) yield* allHistory(path, rest.join('/'));
    else {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat?.isFile()) yield { path, bytes: stat.size, modifiedMs: stat.mtimeMs };
    }
  }
}
