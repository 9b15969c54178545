// It brings all of Node's streams: this file is loaded only for what may be long.
import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 prefer memory to speed until what it returns is called: otherwise it keeps the garbage of long lines, the more of it
 * the longer it runs. For when everything is loaded: compiled code that is kept under other flags than those of the start
 * is refused by the next command.
 */
export function preferMemory(): () => void {
  setFlagsFromString('--optimize-for-size');
  return () => {
    for (const flag of ['--no-optimize-for-size', '--max-semi-space-size=0']) setFlagsFromString(flag);
  };
}

/** The same items; from the first on V8 prefers memory to speed. */
export async function* inLittleMemory<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  let end: (() => void) | null = null;
  try {
    for await (const item of items) {
      end ??= preferMemory();
      yield item;
    }
  } finally {
    end?.();
  }
}
