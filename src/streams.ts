import { fstatSync, statSync, writeSync } from 'node:fs';
import type { OutputStream } from './cli/context.ts';
import { errnoOf } from './core/errors.ts';

/*
 * The streams of this process, without Node's own objects for them wherever nothing needs one: the first of these
 * takes a sixth of a start, because it loads all that sockets and terminals take.
 */

/** Whether stdin, stdout or stderr is a terminal. */
export function isTerminal(fd: 0 | 1 | 2): boolean {
  const stat = fstatSync(fd);
  // /dev/null is a character device, too, and where scripts send what they do not want.
  if (!stat.isCharacterDevice() || stat.rdev === statSync('/dev/null').rdev) return false;
  return (fd === 0 ? process.stdin : fd === 1 ? process.stdout : process.stderr).isTTY ?? false;
}

/** A stream that people or programs read. What is written at once is taken when `write` returns, or by the terminal. */
export function outputStream(fd: 1 | 2): OutputStream {
  let closed = false;
  let gone: AbortController | null = null;
  let terminal: boolean | null = null;
  let stream: NodeJS.WriteStream | null = null;

  const isTTY = (): boolean => (terminal ??= isTerminal(fd));
  const fail = (error: unknown): void => {
    closed = true;
    gone?.abort();
    // The reader has seen enough (`| head`): that is not a failure.
    if (errnoOf(error) === 'EPIPE') return;
    process.exitCode = 1;
    const why = error instanceof Error ? error.message : String(error);
    if (fd === 1) process.stderr.write(`zwarm: the output could not be written: ${why}\n`);
  };
  const opened = (): NodeJS.WriteStream =>
    (stream ??= (fd === 1 ? process.stdout : process.stderr).on('error', fail));
  // A listener for Ctrl-C hears nothing while a full pipe is waited for.
  const needsStream = (): boolean => stream !== null || process.listenerCount('SIGINT') > 0 || isTTY();
  /** Writes without Node's stream; what is left where that has to wait. */
  const writeNow = (bytes: Uint8Array): Uint8Array | null => {
    if (closed) return null;
    let done = 0;
    try {
      while (done < bytes.length) done += writeSync(fd, bytes, done);
    } catch (error) {
      // A full pipe that others have made one that does not wait: Node's own stream knows how to.
      if (errnoOf(error) === 'EAGAIN') return bytes.subarray(done);
      fail(error);
    }
    return null;
  };

  return {
    write(text) {
      const left = needsStream() ? text : writeNow(Buffer.from(text));
      if (left !== null) opened().write(left);
    },
    async send(chunk) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      const left = needsStream() ? bytes : writeNow(bytes);
      // What went wrong is told by the event.
      if (left !== null) await new Promise<void>((resolve) => opened().write(left, () => resolve()));
    },
    get closed() {
      gone ??= new AbortController();
      if (closed) gone.abort();
      return gone.signal;
    },
    get isTTY() {
      return isTTY();
    },
    get columns() {
      return (isTTY() && opened().columns) || 80;
    },
    get rows() {
      return (isTTY() && opened().rows) || 24;
    },
  };
}
