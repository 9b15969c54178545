import type { OutputStream } from './context.ts';

/** Bytes that are sent at a time. */
const CHUNK = 1 << 18;

/** No character takes more bytes: of a piece that is not encoded as a whole, so many may be left free behind its last. */
const LONGEST_CHARACTER = 4;

/**
 * Prints a long text in pieces, and waits until each chunk of them was taken: so no more of it is in memory than that.
 * They are encoded into one buffer, which is several times faster than into new ones.
 */
export async function printPieces(stream: OutputStream, pieces: Iterable<string>): Promise<void> {
  const encoder = new TextEncoder();
  const buffer = new Uint8Array(CHUNK);
  let filled = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      if (CHUNK - filled < LONGEST_CHARACTER) {
        await stream.send(buffer.subarray(0, filled));
        filled = 0;
        // Nobody reads any more (`| head`).
        if (stream.closed.aborted) return;
      }
      // What does not fit stays for the next chunk.
      const { read, written } = encoder.encodeInto(
        at === 0 ? piece : piece.slice(at),
        buffer.subarray(filled),
      );
      at += read;
      filled += written;
    }
  }
  await stream.send(buffer.subarray(0, filled));
}
