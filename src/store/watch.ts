import { EventEmitter, once } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';

/** Waits for changes in a directory; notification is only a hint, so every wait has an end. */
export interface DirectoryWatch {
  /** Resolves at the next change, after `ms` milliseconds, or when the signal aborts. */
  next(ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Watches a directory's entries but those in `ignored`. On network file systems only the time limit wakes. */
export function watchDirectory(path: string, ignored: readonly string[]): DirectoryWatch {
  const waking = new EventEmitter();
  let changed = false;
  let watcher: FSWatcher | null = null;
  try {
    watcher = watch(path, { persistent: false }, (_, name) => {
      if (name !== null && ignored.includes(name)) return;
      changed = true;
      waking.emit('wake');
    });
    // A watched directory that is removed, or a used-up watch limit: the time limit still wakes.
    watcher.on('error', () => watcher?.close());
  } catch {
    watcher = null;
  }
  return {
    async next(ms, signal) {
      const timer = setTimeout(() => waking.emit('wake'), ms);
      // It rejects only when the signal aborts.
      if (!changed) await once(waking, 'wake', { signal }).catch(() => undefined);
      clearTimeout(timer);
      changed = false;
    },
    close() {
      watcher?.close();
    },
  };
}
