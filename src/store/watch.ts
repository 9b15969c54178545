import { EventEmitter, once, setMaxListeners } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';

/*
 * Notification is only a hint: network file systems give none, and there is a limit to what can be watched. So every wait
 * has an end, after which its caller looks again.
 */

/** Tells of changes in a directory's entries, by name where the system knows it; null where it cannot be watched. */
function tellChanges(path: string, tell: (name: string | null) => void): FSWatcher | null {
  try {
    const watcher = watch(path, { persistent: false }, (_, name) => tell(name));
    // The directory was removed, or the watch limit is used up.
    return watcher.on('error', () => watcher.close());
  } catch {
    return null;
  }
}

/** Wakes one who waits; a ring that nobody waited for ends the next wait at once. */
function createBell() {
  const bell = new EventEmitter();
  let rung = false;
  return {
    ring(): void {
      rung = true;
      bell.emit('ring');
    },
    async next(ms: number, signal: AbortSignal): Promise<void> {
      const timer = setTimeout(() => bell.emit('ring'), ms);
      // Of many sessions each listens to it, and Node warns of more than ten.
      setMaxListeners(0, signal);
      // It rejects only when the signal aborts.
      if (!rung) await once(bell, 'ring', { signal }).catch(() => undefined);
      clearTimeout(timer);
      rung = false;
    },
  };
}

/** Waits for changes in a directory. */
export interface DirectoryWatch {
  /** Resolves at the next change, after `ms` milliseconds, or when the signal aborts. */
  next(ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Watches a directory's entries but those in `ignored`. */
export function watchDirectory(path: string, ignored: readonly string[]): DirectoryWatch {
  const { ring, next } = createBell();
  const watcher = tellChanges(path, (name) => {
    if (name === null || !ignored.includes(name)) ring();
  });
  return { next, close: () => watcher?.close() };
}

/** Waits for changes in any of some directories. */
export interface DirectoriesWatch extends DirectoryWatch {
  /** Watches these from now on, and no others. New ones count as changed: nobody saw what happened in them before. */
  follow(paths: ReadonlySet<string>): void;
  /** The directories that have changed since this was last called. */
  changed(): ReadonlySet<string>;
}

/** Watches directories that come and go. */
export function watchDirectories(): DirectoriesWatch {
  const { ring, next } = createBell();
  const watchers = new Map<string, FSWatcher>();
  let changed = new Set<string>();
  const note = (path: string): void => {
    changed.add(path);
    ring();
  };
  const follow = (paths: ReadonlySet<string>): void => {
    for (const [path, watcher] of watchers) {
      if (paths.has(path)) continue;
      watcher.close();
      watchers.delete(path);
    }
    for (const path of paths) {
      const watcher = watchers.has(path) ? null : tellChanges(path, () => note(path));
      if (watcher === null) continue;
      watchers.set(path, watcher);
      note(path);
    }
  };
  return {
    next,
    follow,
    changed() {
      const all = changed;
      changed = new Set();
      return all;
    },
    close: () => follow(new Set()),
  };
}
