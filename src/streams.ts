import { fstatSync, statSync, writeSync } from 'node:fs';
import type { OutputStream } from './cli/context.ts';
import { errnoOf, isErrno } from './core/errors.ts';

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

/** How a text is written where a terminal cannot show it as it is. */
export type Form = (text: string) => string;

/**
 * A stream that people or programs read. What is written at once is taken when `write` returns, or by the terminal.
 * `forced`: it is written to as to a terminal of so many columns, whatever it is. `form`: in what form a terminal gets it.
 */
export function outputStream(fd: 1 | 2, forced: number | null, form: Form | null): OutputStream {
  let closed = false;
  let gone: AbortController | null = null;
  let terminal: boolean | null = null;
  let stream: NodeJS.WriteStream | null = null;

  const isTTY = (): boolean => (terminal ??= isTerminal(fd));
  const formed = (text: string): string =>
    form !== null && (forced !== null || isTTY()) ? form(text) : text;
  const fail = (error: unknown): void => {
    closed = true;
    gone?.abort();
    // The reader has seen enough (`| head`; of a socket perhaps not all that it got), or the terminal is gone: that is not
    // a failure.
    if (isErrno(error, 'EPIPE', 'ECONNRESET') || (isErrno(error, 'EIO') && isTTY())) return;
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
      const said = formed(text);
      const left = needsStream() ? said : writeNow(Buffer.from(said));
      if (left !== null) opened().write(left);
    },
    async send(chunk) {
      const bytes = typeof chunk === 'string' ? Buffer.from(formed(chunk)) : chunk;
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
      return forced !== null || isTTY();
    },
    get takesEscapes() {
      return forced === null && isTTY();
    },
    get columns() {
      return forced ?? ((isTTY() && opened().columns) || 80);
    },
    get rows() {
      if (forced !== null) return Number.POSITIVE_INFINITY;
      return (isTTY() && opened().rows) || 24;
    },
    onResize(act) {
      const terminal = opened().on('resize', act);
      return () => void terminal.off('resize', act);
    },
  };
}
