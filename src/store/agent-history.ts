import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../core/errors.ts';

/** A file that an agent keeps of a conversation: its path and its size in bytes. */
export interface HistoryFile {
  readonly path: string;
  readonly bytes: number;
}

/** The file may exist, but we may not look, or links lead in a circle. */
const UNKNOWN = new Set(['EACCES', 'EPERM', 'ELOOP']);
const NONE = new Set(['ENOENT', 'ENOTDIR']);

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (NONE.has(errnoOf(error) ?? '')) return [];
    throw error;
  }
}

function matches(name: string, pattern: string): boolean {
  const [head = '', tail] = pattern.split('*');
  if (tail === undefined) return name === pattern;
  return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail);
}

function find(directory: string, parts: readonly string[]): HistoryFile | null {
  const [pattern, ...rest] = parts;
  if (pattern === undefined) return null;
  const names = pattern.includes('*')
    ? namesIn(directory).filter((name) => matches(name, pattern))
    : [pattern];
  for (const name of names.toSorted().toReversed()) {
    const path = join(directory, name);
    const found = rest.length > 0 ? find(path, rest) : fileAt(path);
    if (found !== null) return found;
  }
  return null;
}

function fileAt(path: string): HistoryFile | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? { path, bytes: stat.size } : null;
}

/**
 * The first file below an agent's directory that fits one of the patterns, in which `*` stands for any part of one name;
 * null where there is none, undefined where that is unknown: the directory is missing, or may not be read. Links are
 * followed: the directory is the user's own.
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
    if (UNKNOWN.has(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}
