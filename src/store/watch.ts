import { type FSWatcher, watch } from 'node:fs';

/** Waits for changes in a directory; notification is only a hint, so every wait has an end. */
export interface DirectoryWatch {
  /** Resolves at the next change, after `ms` milliseconds, or when the signal aborts. */
  next(ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/**
 * Watches a directory's entries, but for changes of the files in `ignored`. Where notification does not work (network
 * file systems) only the time limit wakes.
 */
export function watchDirectory(path: string, ignored: readonly string[]): DirectoryWatch {
  let changed = false;
  let wake: () => void = () => {
    changed = true;
  };
  let watcher: FSWatcher | null = null;
  try {
    watcher = watch(path, { persistent: false }, (_, name) => {
      if (name === null || !ignored.includes(name)) wake();
    });
    // A watched directory that is removed, or a used-up watch limit: the time limit still wakes.
    watcher.on('error', () => watcher?.close());
  } catch {
    watcher = null;
  }
  return {
    next(ms, signal) {
      if (changed || signal.aborted) {
        changed = false;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          wake = () => {
            changed = true;
          };
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done, { once: true });
        wake = done;
      });
    },
    close() {
      watcher?.close();
    },
  };
}
